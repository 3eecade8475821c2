import { type Confirmation, confirmedAtOf } from "../../core/confirmations.ts";
import { asFailure } from "../../core/failure.ts";
import { isTenantId, type SnapshotId, type TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { readLiveManifest, readPointer } from "../publish/snapshot/live-snapshot.ts";
import { storedTenants } from "../publish/snapshot/stored-tenants.ts";
import { type LastTry, lastTry, readConfirmed } from "./read-confirmed.ts";
import { readRemoved, type UnfinishedRemoval } from "./read-removed.ts";
import { type LastRun, runHistory } from "./run-history.ts";
import { type Concern, tenantConcerns } from "./standing/tenant-concerns.ts";
import { type Hold, type TenantWay, tenantWay } from "./standing/tenant-way.ts";
import { usualInterval, usualIntervalOf } from "./usual-interval.ts";

/** What support wants to know of a tenant first. */
export interface TenantStatus {
  readonly tenantId: string;
  /** `null` when partners get 500: nothing was ever published, or what is there is damaged (see `fault`). */
  readonly live: LiveStatus | null;
  /** The hold, also of a tenant whose manifest is damaged. */
  readonly hold: Hold | null;
  /** When the tenant was removed; `null` while it is not. */
  readonly removedAt: string | null;
  /** A removal that did not end; see `TenantFacts`. */
  readonly unfinishedRemoval: UnfinishedRemoval | null;
  readonly lastRun: LastRun | null;
  /** How the last build ended, also one that left no report. */
  readonly lastTry: LastTry | null;
  /** When the newest run of all tenants found that the source does not list this one; `null` while it does. */
  readonly notInSource: string | null;
  /** How long it usually takes from one run of it to the next; `null` when that is not known. */
  readonly usualIntervalMs: number | null;
  /** What is wrong with the stored documents, in words. */
  readonly fault: string | null;
  /** Whether builds come, and what they may publish. */
  readonly way: TenantWay;
  /** What needs somebody's attention, the worst first. */
  readonly concerns: readonly Concern[];
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
  readonly hold: Hold | null;
}

export interface StatusReport {
  /** By tenant id. */
  readonly tenants: readonly TenantStatus[];
  /** What of `runs/` and `tenants/removed.json` could not be read, in words. */
  readonly faults: readonly string[];
}

/** Whole manifests in memory at a time. */
const maxParallelReads = 8;

/** The status of one tenant, or of all that the store or a run report knows. Reads pointer and manifest of each tenant, as a gateway does. */
export async function tenantStatus(
  store: ObjectStore,
  only: TenantId | undefined,
  now: Date,
  signal: AbortSignal,
): Promise<StatusReport> {
  const stored = only === undefined ? await allStored(store, signal) : [only];
  const [runs, confirmed, allIntervalMs, removed] = await Promise.all([
    runHistory(store, new Set(stored), now, signal),
    readConfirmed(store, signal),
    usualInterval(store, now, signal),
    readRemoved(store, signal),
  ]);
  const { lastRuns, notInSource, faults } = runs;
  // A tenant whose first build failed has no folder, and is the one that somebody asks about.
  const named = only === undefined ? [...lastRuns.keys()].filter(isTenantId) : [];
  const tenantIds = [...new Set([...stored, ...named])].sort();
  const tenants: TenantStatus[] = [];
  for (let at = 0; at < tenantIds.length; at += maxParallelReads) {
    const round = tenantIds.slice(at, at + maxParallelReads);
    const statuses = round.map(async (tenantId) => {
      const confirmation = confirmed.confirmations.get(tenantId);
      const lastRun = lastRuns.get(tenantId) ?? null;
      const stands = await liveStatus(store, tenantId, confirmation, signal);
      const tried = lastTry(lastRun, confirmation);
      const lastGoodAt = confirmation?.confirmedAt ?? null;
      const { hold } = stands;
      const usualIntervalMs = usualIntervalOf(tenantId, allIntervalMs, runs);
      const way = tenantWay({ hold, lastRun, lastTry: tried, lastGoodAt, usualIntervalMs }, now);
      const facts = {
        ...stands,
        removedAt: removed.removed.get(tenantId)?.removedAt ?? null,
        unfinishedRemoval: removed.unfinished.get(tenantId) ?? null,
        lastRun,
        lastTry: tried,
        notInSource: notInSource.get(tenantId) ?? null,
        usualIntervalMs,
        way,
      };
      return { tenantId, ...facts, concerns: tenantConcerns(facts) };
    });
    tenants.push(...(await Promise.all(statuses)));
  }
  return { tenants, faults: [...confirmed.faults, ...removed.faults, ...faults] };
}

async function allStored(store: ObjectStore, signal: AbortSignal): Promise<readonly TenantId[]> {
  const tenantIds: TenantId[] = [];
  for await (const tenantId of storedTenants(store, signal)) tenantIds.push(tenantId);
  return tenantIds;
}

async function liveStatus(
  store: ObjectStore,
  tenantId: TenantId,
  confirmation: Confirmation | undefined,
  signal: AbortSignal,
): Promise<Pick<TenantStatus, "live" | "fault" | "hold">> {
  let hold: Hold | null = null;
  try {
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return { live: null, fault: null, hold };
    const { snapshotId, generation, publishedAt } = pointer.current;
    ({ hold } = pointer.current);
    // P54: what a gateway refuses is not live, however well its beginning reads.
    const { generatedAt, programs } = await readLiveManifest(store, pointer.current, signal);
    const confirmedAt = confirmedAtOf(confirmation, snapshotId);
    const live = {
      ...{ snapshotId, generation, generatedAt, publishedAt, confirmedAt },
      ...{ programs: programs.count, hold },
    };
    return { live, fault: null, hold };
  } catch (error) {
    const failure = asFailure(error);
    // One damaged tenant must not hide the others; a store that is away hides them all.
    if (failure.code !== "corrupt_document") throw error;
    return { live: null, fault: failure.message, hold };
  }
}
