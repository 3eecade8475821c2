import type { Confirmations } from "../core/confirmations.ts";
import type { TenantId } from "../core/ids.ts";

export interface ConfirmedTenant {
  readonly tenantId: TenantId;
  /** Since 1970. */
  readonly confirmedAtMs: number;
}

/**
 * The `count` tenants that were confirmed the longest ago, the oldest first, ties by id. All of the document's, also those
 * that no partner asked this gateway for: data that is too old should be noticed before somebody asks for it. A tenant
 * that was never confirmed has no age.
 */
export function oldestConfirmed(confirmations: Confirmations, count: number): readonly ConfirmedTenant[] {
  const all: ConfirmedTenant[] = [];
  for (const [tenantId, { confirmedAt }] of confirmations) {
    if (confirmedAt !== null) all.push({ tenantId, confirmedAtMs: Date.parse(confirmedAt) });
  }
  all.sort((a, b) => a.confirmedAtMs - b.confirmedAtMs || (a.tenantId < b.tenantId ? -1 : 1));
  return all.slice(0, count);
}
