import { readFile } from "node:fs/promises";
import { Failure } from "../../core/failure.ts";
import { parsedUrl } from "../../core/parsed-url.ts";
import { parseToken, type TokenPlaintext } from "../../core/token.ts";
import type { AskedGateway } from "../support/facts/ask-gateway.ts";

/** The options of `inspect` that let a page ask the gateway as a partner would. */
export interface GatewayFlags {
  readonly gateway?: string;
  readonly tokenFile?: readonly string[];
}

/**
 * The gateway that pages may ask, and the tokens for that (P74). Errors (`usage`) never quote the files, which hold tokens.
 */
export async function inspectGateway(flags: GatewayFlags): Promise<AskedGateway | undefined> {
  const { gateway, tokenFile = [] } = flags;
  if (gateway === undefined && tokenFile.length === 0) return undefined;
  if (gateway === undefined || tokenFile.length === 0) {
    throw new Failure(
      "usage",
      "--gateway URL and --token-file FILE go together: whom to ask, and what to show it.",
    );
  }
  return { url: gatewayUrl(gateway), tokens: await Promise.all(tokenFile.map(readToken)) };
}

function gatewayUrl(text: string): string {
  const url = parsedUrl(text);
  const isPlain =
    url !== undefined &&
    ["http:", "https:"].includes(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!isPlain) {
    throw new Failure(
      "usage",
      "--gateway takes the gateway's address, such as https://partners.example.com.",
    );
  }
  const segments = url.pathname.split("/");
  while (segments.at(-1) === "") segments.pop();
  return `${url.origin}${segments.join("/")}`;
}

async function readToken(path: string): Promise<TokenPlaintext> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Failure("usage", `--token-file ${path} can't be read (${code}).`, { cause: error });
  });
  const token = parseToken(text.trim());
  if (token !== undefined) return token;
  throw new Failure(
    "usage",
    `${path} has to hold one token as \`token create\` printed it, and nothing else.`,
  );
}
