import { Failure } from "../../../core/failure.ts";
import type { TokenId } from "../../../core/ids.ts";
import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { didYouMean } from "../../shell/nearest-name.ts";

/**
 * The tokens with another end for one of them (P84), which may lie before or after the one that it had. Throws `not_found`;
 * `usage` for a token that is revoked or expired: those stay ended.
 */
export function withEnd(
  tokens: readonly RegisteredToken[],
  tokenId: TokenId,
  end: Date,
  now: Date,
): readonly RegisteredToken[] {
  const { tokenId: active } = activeToken(tokens, tokenId, now);
  return tokens.map((token) =>
    token.tokenId === active ? { ...token, expiresAt: end.toISOString() } : token,
  );
}

/** The token, which must be in force. Throws as `withEnd` does. */
export function activeToken(
  tokens: readonly RegisteredToken[],
  tokenId: TokenId,
  now: Date,
): RegisteredToken {
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) {
    const hint = didYouMean(
      tokenId,
      tokens.map((known) => known.tokenId),
    );
    throw new Failure("not_found", `No token ${tokenId}; see \`token list\`.${hint}`);
  }
  const status = tokenStatus(token, now);
  if (status === "active") return token;
  throw new Failure("usage", `Token ${tokenId} is ${status}; create a new one with \`token create\`.`);
}
