import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";

/** When each tenant's live snapshot was last found to be what the source says, as far as this process knows. */
export interface ConfirmedTenants {
  /** Of the tenants of the source, in milliseconds since 1970. */
  readonly atMs: ReadonlyMap<string, number>;
  /** To be called when a tenant's build has just ended. */
  note(run: TenantRun): void;
  /** After a round of all: a tenant that vanished has nothing left to confirm. */
  keepOnly(round: RunReport): void;
}

export function createConfirmedTenants(): ConfirmedTenants {
  const atMs = new Map<string, number>();
  return {
    atMs,
    note({ tenantId, confirmedAt = null }) {
      if (confirmedAt !== null) atMs.set(tenantId, Date.parse(confirmedAt));
    },
    keepOnly(round) {
      const listed = new Set(round.tenants.map(({ tenantId }) => tenantId));
      for (const tenantId of atMs.keys()) if (!listed.has(tenantId)) atMs.delete(tenantId);
    },
  };
}
