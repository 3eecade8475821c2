import type { Cause } from "../core/cause-code.ts";
import type { TenantId, TokenId } from "../core/ids.ts";
import type { TokenDigest } from "../core/token.ts";
import { type RegisteredToken, readScope } from "../core/token-registry.ts";

/** What a request needs to know of its token, its tenant first (W4), computed once per version of the registry. */
export interface KnownToken {
  readonly tokenId: TokenId;
  readonly tenantId: TenantId;
  /** Requests per window. */
  readonly limit: number;
  /** Has the scope that every resource requires. */
  readonly mayRead: boolean;
  readonly isRevoked: boolean;
  /** Milliseconds since 1970; infinite without an expiry. */
  readonly expiresAtMs: number;
}

/** Revoked tokens stay in it, so that the log can tell them from tokens that never were. */
export type TokenTable = ReadonlyMap<TokenDigest, KnownToken>;

/** Why the token is not accepted at that time; `undefined` when it is. */
export function causeAgainst(token: KnownToken, nowMs: number): Cause | undefined {
  if (token.isRevoked) return revokedToken;
  return token.expiresAtMs <= nowMs ? expiredToken : undefined;
}

const revokedToken: Cause = { code: "revoked_token", text: "revoked token" };
const expiredToken: Cause = { code: "expired_token", text: "expired token" };

export function knownToken(token: RegisteredToken, defaultLimit: number): KnownToken {
  return {
    tokenId: token.tokenId,
    tenantId: token.tenantId,
    limit: token.rateLimit ?? defaultLimit,
    mayRead: token.scopes.includes(readScope),
    isRevoked: token.revokedAt !== null,
    expiresAtMs: token.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(token.expiresAt),
  };
}

export type TokenStatus = "valid" | "expired" | "revoked";

/** How many tokens of each kind the table has at that time. */
export function countTokens(table: TokenTable, nowMs: number): Readonly<Record<TokenStatus, number>> {
  const counts = { valid: 0, expired: 0, revoked: 0 };
  for (const { isRevoked, expiresAtMs } of table.values()) {
    counts[isRevoked ? "revoked" : expiresAtMs <= nowMs ? "expired" : "valid"] += 1;
  }
  return counts;
}
