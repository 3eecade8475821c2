import { Agent as HttpAgent, type IncomingMessage, request } from "node:http";
import { Agent as HttpsAgent, request as secureRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** By their names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** An answer with its body read and unpacked. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Asks over one connection that is kept, with gzip. Rejects when it breaks, or a body ends before it should.
 */
export interface Connection {
  get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<RawAnswer>;
}

/** An option of the client that cannot be meant: an address or a token that is none. */
export class BadOptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BadOptionError";
  }
}

/** The message does not repeat the address, lest a token stands in it. */
function checkedBase(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isPlain = base?.protocol === "http:";
  const more = base === undefined ? "" : base.username + base.password + base.search + base.hash;
  if (base === undefined || !(isPlain || base.protocol === "https:") || more !== "")
    throw new BadOptionError("The base address has to be https:// and a host, and perhaps a path.");
  if (isPlain && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname))
    process.emitWarning("The base address begins with http://, so the token can be read on the way.");
  return base;
}

/**
 * Not `fetch`, which opens a second connection while it tidies the first. A path prefix of the base address
 * is kept.
 */
export function createConnection(baseUrl: string): Connection {
  const base = baseUrl.replace(/\/$/, "");
  const isSecure = checkedBase(base).protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: 1 };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const start = isSecure ? secureRequest : request;
  return {
    async get(path, headers, signal) {
      const options = { agent, signal, headers: { ...headers, "accept-encoding": "gzip" } };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        start(base + path, options, resolve)
          .on("error", reject)
          .end();
      });
      const text = await bodyText(response);
      return { status: response.statusCode ?? 0, headers: headersOf(response), text };
    },
  };
}

/** A proxy on the way may repeat a header: the same value twice counts once. */
function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const joined = Object.entries(headersDistinct).map(([name, values]) => [
    name,
    [...new Set(values)].join(", "),
  ]);
  return Object.fromEntries(joined);
}

async function bodyText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) chunks.push(chunk);
  };
  if (response.headers["content-encoding"] === "gzip") await pipeline(response, createGunzip(), collect);
  else await pipeline(response, collect);
  return Buffer.concat(chunks).toString();
}
