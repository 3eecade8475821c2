import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { Audit } from "../audit/audit.ts";
import { editRecorded } from "./edit-recorded.ts";
import { revoked } from "./issue-token.ts";

/**
 * Ends every token of the tenant, whoever issued it; returns how many that were. The registry is written also where there is
 * none: a token that is being issued meanwhile then loses its race, and its command looks again at what became of the tenant.
 */
export async function endTenantTokens(
  store: ObjectStore,
  audit: Pick<Audit, "plan" | "note" | "doubt">,
  tenantId: TenantId,
  now: Date,
): Promise<number> {
  let ended = 0;
  await editRecorded(store, audit, (tokens) => {
    const open = tokens.filter((token) => token.tenantId === tenantId && token.revokedAt === null);
    ended = open.length;
    return [
      ...revoked(
        tokens,
        open.map(({ tokenId }) => tokenId),
        now,
      ),
    ];
  });
  return ended;
}
