import { type Confirmation, confirmedAtOf } from "../../core/confirmations.ts";
import { asFailure } from "../../core/failure.ts";
import { isTenantId, type SnapshotId, type TenantId } from "../../core/ids.ts";
import { tenantsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { readPointer } from "../snapshot/live-snapshot.ts";
import { readManifestHead } from "../snapshot/manifest-head.ts";
import { type LastTry, lastTry, readConfirmed } from "./read-confirmed.ts";
import { type LastRun, runHistory } from "./run-history.ts";

/** What support wants to know of a tenant first. */
export interface TenantStatus {
  readonly tenantId: string;
  /** `null` when partners get 500: nothing was ever published, or what is there is damaged (see `fault`). */
  readonly live: LiveStatus | null;
  readonly lastRun: LastRun | null;
  /** How the last build ended, also one that left no report. */
  readonly lastTry: LastTry | null;
  /** When the newest run of all tenants found that the source does not list this one; `null` while it does. */
  readonly notInSource: string | null;
  /** What is wrong with the stored documents, in words. */
  readonly fault: string | null;
}

export interface LiveStatus {
  readonly snapshotId: SnapshotId;
  readonly generation: number;
  /** When the source was read. */
  readonly generatedAt: string;
  readonly publishedAt: string;
  /** When this snapshot was last found to be what the source says; `null` when it is not known to have been. */
  readonly confirmedAt: string | null;
  readonly programs: number;
  readonly hold: { readonly reason: string; readonly since: string } | null;
}

export interface StatusReport {
  /** By tenant id. */
  readonly tenants: readonly TenantStatus[];
  /** What of `runs/` could not be read, in words. */
  readonly faults: readonly string[];
}

/** Pointers and manifests read side by side. */
const maxParallelReads = 16;

/** The status of one tenant, or of all that the store or a run report knows. Reads two small objects per tenant, and one of all. */
export async function tenantStatus(
  store: ObjectStore,
  only: TenantId | undefined,
  now: Date,
  signal: AbortSignal,
): Promise<StatusReport> {
  const stored = only === undefined ? await storedTenants(store, signal) : [only];
  const [{ lastRuns, notInSource, faults }, confirmed] = await Promise.all([
    runHistory(store, new Set(stored), now, signal),
    readConfirmed(store, signal),
  ]);
  // A tenant whose first build failed has no folder, and is the one that somebody asks about.
  const named = only === undefined ? [...lastRuns.keys()].filter(isTenantId) : [];
  const tenantIds = [...new Set([...stored, ...named])].sort();
  const tenants: TenantStatus[] = [];
  for (let at = 0; at < tenantIds.length; at += maxParallelReads) {
    const round = tenantIds.slice(at, at + maxParallelReads);
    const statuses = round.map(async (tenantId) => {
      const confirmation = confirmed.confirmations.get(tenantId);
      const lastRun = lastRuns.get(tenantId) ?? null;
      return {
        tenantId,
        ...(await liveStatus(store, tenantId, confirmation, signal)),
        lastRun,
        lastTry: lastTry(lastRun, confirmation),
        notInSource: notInSource.get(tenantId) ?? null,
      };
    });
    tenants.push(...(await Promise.all(statuses)));
  }
  return { tenants, faults: [...confirmed.faults, ...faults] };
}

async function storedTenants(store: ObjectStore, signal: AbortSignal): Promise<readonly TenantId[]> {
  const tenantIds: TenantId[] = [];
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (isTenantId(folder)) tenantIds.push(folder);
  }
  return tenantIds;
}

async function liveStatus(
  store: ObjectStore,
  tenantId: TenantId,
  confirmation: Confirmation | undefined,
  signal: AbortSignal,
): Promise<Pick<TenantStatus, "live" | "fault">> {
  try {
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return { live: null, fault: null };
    const { snapshotId, generation, publishedAt, hold } = pointer.current;
    const head = await readManifestHead(store, tenantId, snapshotId, signal);
    if (head === undefined)
      return { live: null, fault: `Snapshot ${snapshotId} is live and has no manifest.json.` };
    const { generatedAt, programs } = head;
    const confirmedAt = confirmedAtOf(confirmation, snapshotId);
    const live = { snapshotId, generation, generatedAt, publishedAt, confirmedAt, programs, hold };
    return { live, fault: null };
  } catch (error) {
    const failure = asFailure(error);
    // One damaged tenant must not hide the others; a store that is away hides them all.
    if (failure.code !== "corrupt_document") throw error;
    return { live: null, fault: failure.message };
  }
}
