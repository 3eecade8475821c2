import { printable } from "../../../core/printable.ts";
import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import type { Layout } from "../../output/layout.ts";
import { numbers, table } from "../../output/table.ts";
import { exactTime } from "../../output/times.ts";

/** What `--json` shows of a token; a documented, stable shape. */
export type TokenMetadata = Pick<
  RegisteredToken,
  "tokenId" | "tenantId" | "name" | "scopes" | "expiresAt" | "rateLimit" | "createdAt"
>;

export function tokenMetadata(token: RegisteredToken): TokenMetadata {
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt } = token;
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt };
}

/** An element of `token list --json`. */
export function listedToken(
  token: RegisteredToken,
  now: Date,
): TokenMetadata & { readonly status: string; readonly revokedAt: string | null } {
  return { ...tokenMetadata(token), status: tokenStatus(token, now), revokedAt: token.revokedAt };
}

/** The metadata for people, one line each. */
export function tokenLines(token: RegisteredToken): string {
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit } = token;
  return [
    `token id    ${tokenId}`,
    `tenant      ${tenantId}`,
    `name        ${printable(name ?? "-")}`,
    `scopes      ${scopes.join(" ")}`,
    `expires     ${expiresAt ?? "never"}`,
    `rate limit  ${rateLimit === null ? "the gateway's" : `${rateLimit} per window`}`,
    "",
  ].join("\n");
}

export function tokenListText(tokens: readonly RegisteredToken[], { now, zone }: Layout): string {
  return table(
    ["TOKEN", "TENANT", "STATUS", "NAME", "SCOPES", numbers("LIMIT"), "CREATED", "EXPIRES"],
    tokens.map((token) => [
      token.tokenId,
      token.tenantId,
      tokenStatus(token, now),
      printable(token.name ?? "-"),
      token.scopes.join(" "),
      token.rateLimit === null ? "-" : String(token.rateLimit),
      exactTime(token.createdAt, zone),
      token.expiresAt === null ? "never" : exactTime(token.expiresAt, zone),
    ]),
  );
}
