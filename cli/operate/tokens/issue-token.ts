import { Failure } from "../../../core/failure.ts";
import { parseTokenId, randomBase62, type TenantId, type TokenId } from "../../../core/ids.ts";
import { mintToken, type TokenPlaintext, tokenDigest, tokenRandomBytes } from "../../../core/token.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";

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

/** The tokens with the given ones revoked; revoking one twice keeps the first time. Throws `not_found`. */
export function revoked(
  tokens: readonly RegisteredToken[],
  tokenIds: readonly TokenId[],
  now: Date,
): readonly RegisteredToken[] {
  const known = new Set(tokens.map(({ tokenId }) => tokenId));
  const unknown = tokenIds.filter((tokenId) => !known.has(tokenId));
  if (unknown.length > 0) {
    throw new Failure(
      "not_found",
      `No token ${unknown.join(", ")}; nothing was revoked. See \`token list\`.`,
    );
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
