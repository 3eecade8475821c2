import {
  mintToken,
  type TokenPlaintext,
  tokenDigest,
  tokenRandomBytes,
} from "../../../core/documents/token.ts";
import { type RegisteredToken, tokenStatus } from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { parseTokenId, randomBase62, type TenantId, type TokenId } from "../../../core/ground/ids.ts";
import { didYouMean, exactTime } from "../../output/words.ts";
import type { CliSettings } from "../../shell/shell.ts";

/** What an operator decides about a token. */
export type TokenTerms = Pick<RegisteredToken, "tenantId" | "name" | "scopes" | "expiresAt" | "rateLimit">;

export interface IssuedToken {
  /** To be printed once and kept nowhere. */
  readonly plaintext: TokenPlaintext;
  readonly entry: RegisteredToken;
}

export function issueToken(
  terms: TokenTerms,
  replaces: TokenId | null,
  now: Date,
  randomBytes: (size: number) => Uint8Array,
): IssuedToken {
  const plaintext = mintToken(randomBytes(tokenRandomBytes));
  const { tenantId, name, scopes, expiresAt, rateLimit } = terms;
  return {
    plaintext,
    entry: {
      tokenId: parseTokenId(`tok_${randomBase62(16, randomBytes)}`),
      sha256: tokenDigest(plaintext),
      tenantId,
      name,
      scopes,
      expiresAt,
      rateLimit,
      createdAt: now.toISOString(),
      revokedAt: null,
      replaces,
    },
  };
}

/**
 * T15: the last instant at which a token may end, by `TOKEN_MAX_LIFETIME`; `undefined` for no bound. Throws
 * `usage` when the operator asked by an option for a later end, or for one in the past. `past`: what follows
 * from that, or what to do instead.
 */
export function latestEnd(
  { tokenMaxLifetimeMs }: Pick<CliSettings, "tokenMaxLifetimeMs">,
  now: Date,
  { option = "", at, past = "" }: { option?: string; at?: Date | undefined; past?: string } = {},
): Date | undefined {
  if (at !== undefined && at <= now) throw new Failure("usage", `${option} lies in the past${past}`);
  if (tokenMaxLifetimeMs === undefined) return undefined;
  const last = new Date(now.getTime() + tokenMaxLifetimeMs);
  if (at === undefined || at <= last) return last;
  throw new Failure(
    "usage",
    `${option} lies beyond TOKEN_MAX_LIFETIME, which allows ${exactTime(last.toISOString())} at most; nothing was done.`,
  );
}

/** The earlier of a token's end and another one; `null`: the token has no end. */
export function earlierEnd(expiresAt: string | null, other: Date | undefined): string | null {
  if (other === undefined) return expiresAt;
  return expiresAt !== null && Date.parse(expiresAt) <= other.getTime() ? expiresAt : other.toISOString();
}

/** The tokens with another end for an active one (P84), which may lie before or after the one that it had. */
export function withEnd(
  tokens: readonly RegisteredToken[],
  active: RegisteredToken,
  expiresAt: string,
): readonly RegisteredToken[] {
  return tokens.map((token) => (token === active ? { ...token, expiresAt } : token));
}

/** The token, in force. Throws `not_found`; `usage` for a revoked or expired one: those stay ended. */
export function activeToken(
  tokens: readonly RegisteredToken[],
  tokenId: TokenId,
  now: Date,
): RegisteredToken {
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) {
    const known = tokens.map((other) => other.tokenId);
    throw new Failure("not_found", `No token ${tokenId}; see \`token list\`.${didYouMean(tokenId, known)}`);
  }
  const status = tokenStatus(token, now);
  if (status === "active") return token;
  throw new Failure("usage", `Token ${tokenId} is ${status}; create a new one with \`token create\`.`);
}

/** The tokens with the given ones revoked; revoking one twice keeps the first time. Throws `not_found`. */
export function revoked(
  tokens: readonly RegisteredToken[],
  tokenIds: readonly TokenId[],
  now: Date,
): readonly RegisteredToken[] {
  const known = new Set(tokens.map(({ tokenId }) => tokenId));
  const unknown = tokenIds.filter((tokenId) => !known.has(tokenId));
  if (unknown.length > 0) {
    const what = `No token ${unknown.join(", ")}; nothing was revoked. See \`token list\`.`;
    throw new Failure("not_found", what);
  }
  const wanted = new Set(tokenIds);
  return tokens.map((token) =>
    wanted.has(token.tokenId) && token.revokedAt === null
      ? { ...token, revokedAt: now.toISOString() }
      : token,
  );
}

/** The tenant's tokens that are not revoked. */
export function unrevoked(tokens: readonly RegisteredToken[], tenant: TenantId): readonly TokenId[] {
  return tokens.flatMap(({ tokenId, tenantId, revokedAt }) =>
    tenantId === tenant && revokedAt === null ? [tokenId] : [],
  );
}

/** What `--json` shows of a token; a documented, stable shape. */
export function tokenMetadata(token: RegisteredToken) {
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt } = token;
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt };
}
