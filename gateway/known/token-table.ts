import type { TokenDigest } from "../../core/documents/token.ts";
import { readScope, type TokenRegistry } from "../../core/documents/token-registry.ts";
import type { Cause } from "../../core/ground/cause-code.ts";
import type { TenantId, TokenId } from "../../core/ground/ids.ts";

/** The facts about a token that its requests need, above all the tenant (W4). */
export interface KnownToken {
  readonly tokenId: TokenId;
  readonly tenantId: TenantId;
  /** Requests per window. */
  readonly limit: number;
  /** Whether the token has the scope that every resource requires. */
  readonly mayRead: boolean;
  readonly isRevoked: boolean;
  /** Milliseconds since 1970; infinite without an expiry. */
  readonly expiresAtMs: number;
}

export type TokenStatus = "valid" | "expired" | "revoked";

/** The tokens of a registry. It includes revoked tokens, so that the log can tell them from unknown ones. */
export type TokenTable = ReadonlyMap<TokenDigest, KnownToken>;

/** `defaultLimit`: requests per window of a token without a limit of its own. */
export function tokenTable({ tokens }: TokenRegistry, defaultLimit: number): TokenTable {
  return new Map(
    tokens.map(({ sha256, tokenId, tenantId, scopes, rateLimit, revokedAt, expiresAt }) => [
      sha256,
      {
        tokenId,
        tenantId,
        limit: rateLimit ?? defaultLimit,
        mayRead: scopes.includes(readScope),
        isRevoked: revokedAt !== null,
        expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
      },
    ]),
  );
}

/** Why the token is not accepted at that time; `undefined` when it is. */
export function causeAgainst(token: KnownToken, nowMs: number): Cause | undefined {
  if (token.isRevoked) return revokedToken;
  return token.expiresAtMs <= nowMs ? expiredToken : undefined;
}

const revokedToken: Cause = { code: "revoked_token", text: "revoked token" };
const expiredToken: Cause = { code: "expired_token", text: "expired token" };

/** How many tokens of each kind there are at that time. */
export function tokenCounts(table: TokenTable, nowMs: number): Readonly<Record<TokenStatus, number>> {
  const counts = { valid: 0, expired: 0, revoked: 0 };
  for (const { isRevoked, expiresAtMs } of table.values()) {
    counts[isRevoked ? "revoked" : expiresAtMs <= nowMs ? "expired" : "valid"] += 1;
  }
  return counts;
}

/** The tokens that are valid at that time and will expire, the soonest first, at most `maxExpiring`. */
export function expiringTokens(table: TokenTable, nowMs: number): readonly KnownToken[] {
  return [...table.values()]
    .filter(({ isRevoked, expiresAtMs }) => !isRevoked && expiresAtMs > nowMs && expiresAtMs < Infinity)
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
    .slice(0, maxExpiring);
}

/** The metrics name at most so many expiring tokens: labels must not grow without bound. */
export const maxExpiring = 100;
