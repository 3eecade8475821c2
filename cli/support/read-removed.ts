import { asFailure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { type RemovedTenants, readRemovedTenants } from "../publish/snapshot/removed-tenants.ts";
import { registryReading } from "./request/token-finding.ts";

/** A removal that was ended before it had revoked the tenant's access keys, so that partners are served. */
export interface UnfinishedRemoval {
  /** RFC 3339. */
  readonly removedAt: string;
  readonly openKeys: number;
}

export interface RemovalReading {
  /** Those whose access keys ended, as far as the list of keys can be read. */
  readonly removed: RemovedTenants;
  readonly unfinished: ReadonlyMap<TenantId, UnfinishedRemoval>;
  /** What could not be read, in words. */
  readonly faults: readonly string[];
}

/** P91: which tenants were removed; none when that cannot be read, and why. */
export async function readRemoved(store: ObjectStore, signal: AbortSignal): Promise<RemovalReading> {
  try {
    const noted = await readRemovedTenants(store, signal);
    const unfinished = await unfinishedRemovals(store, noted);
    const removed = new Map([...noted].filter(([tenantId]) => !unfinished.has(tenantId)));
    return { removed, unfinished, faults: [] };
  } catch (error) {
    if (signal.aborted) throw error;
    return { removed: new Map(), unfinished: new Map(), faults: [asFailure(error).message] };
  }
}

/** A removal is noted first, and the access keys are revoked after that: the command may have been killed in between. */
async function unfinishedRemovals(
  store: ObjectStore,
  noted: RemovedTenants,
): Promise<ReadonlyMap<TenantId, UnfinishedRemoval>> {
  const unfinished = new Map<TenantId, UnfinishedRemoval>();
  if (![...noted.values()].some(({ removedAt }) => removedAt !== null)) return unfinished;
  const reading = await registryReading(store);
  if (reading.kind === "unavailable") return unfinished;
  for (const { tenantId, revokedAt } of reading.registry.tokens) {
    const removedAt = noted.get(tenantId)?.removedAt ?? null;
    if (removedAt === null || revokedAt !== null) continue;
    const openKeys = (unfinished.get(tenantId)?.openKeys ?? 0) + 1;
    unfinished.set(tenantId, { removedAt, openKeys });
  }
  return unfinished;
}
