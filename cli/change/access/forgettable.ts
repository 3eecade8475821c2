import type { RegisteredToken } from "../../../core/documents/token-registry.ts";

/** How long support can say of a token that it has ended, and when. */
const rememberedMs = 400 * 24 * 3600 * 1000;

/**
 * T17: the entries that an edit drops from a registry that gets large, those that ended first before others.
 * They were revoked or expired more than 400 days before the newest time that the registry itself knows: a
 * clock that is wrong for a moment must not forget what ended yesterday. What this edit changes stays, and so
 * does what replaced an entry that stays, since support follows the chain from a token to the one that is in
 * force.
 */
export function forgettable(
  known: readonly RegisteredToken[],
  wanted: readonly RegisteredToken[],
  maxCount: number,
): readonly RegisteredToken[] {
  let newest = 0;
  for (const { createdAt, revokedAt } of known) {
    newest = Math.max(newest, Date.parse(createdAt), revokedAt === null ? 0 : Date.parse(revokedAt));
  }
  const before = newest - rememberedMs;
  const unchanged = new Set(known);
  const kept = new Set(wanted.map(({ tokenId }) => tokenId));
  const ended = wanted
    .map((token) => ({ token, endedAt: endOf(token) }))
    .filter(({ token, endedAt }) => endedAt < before && unchanged.has(token))
    .sort((a, b) => a.endedAt - b.endedAt);
  const gone: RegisteredToken[] = [];
  for (const { token } of ended) {
    if (gone.length >= maxCount) break;
    if (token.replaces !== null && kept.has(token.replaces)) continue;
    kept.delete(token.tokenId);
    gone.push(token);
  }
  return gone;
}

/** When the token stopped to authenticate; infinite for one that has no end. */
function endOf({ revokedAt, expiresAt }: RegisteredToken): number {
  const instantOf = (at: string | null): number => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  return Math.min(instantOf(revokedAt), instantOf(expiresAt));
}
