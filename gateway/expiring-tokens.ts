import type { KnownToken, TokenTable } from "./token-table.ts";

/** A token that is in force and will expire. */
export type ExpiringToken = Pick<KnownToken, "tokenId" | "tenantId" | "expiresAtMs">;

/** So many are told apart: labels must not grow without bound. */
export const maxExpiring = 100;

/**
 * The tokens that are in force at that time and will expire, the soonest first, at most `maxExpiring`. Sorting all of
 * 100,000 would hold requests up for a tenth of a second at each scrape.
 */
export function expiringTokens(table: TokenTable, unixMs: number): readonly ExpiringToken[] {
  const soonest: ExpiringToken[] = [];
  let bound = Number.POSITIVE_INFINITY;
  for (const token of table.values()) {
    if (token.isRevoked || token.expiresAtMs <= unixMs || token.expiresAtMs >= bound) continue;
    const place = soonest.findIndex(({ expiresAtMs }) => expiresAtMs > token.expiresAtMs);
    soonest.splice(place === -1 ? soonest.length : place, 0, token);
    if (soonest.length > maxExpiring) soonest.pop();
    if (soonest.length === maxExpiring) bound = soonest.at(-1)?.expiresAtMs ?? bound;
  }
  return soonest;
}
