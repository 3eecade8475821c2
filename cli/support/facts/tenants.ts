import { inRounds } from "../../../core/bounded-work.ts";
import { confirmedAtOf } from "../../../core/confirmations.ts";
import { asFailure, unlessFailed } from "../../../core/failure.ts";
import { isTenantId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readStoreIdentity } from "../../../core/store-identity.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import type { Answers, LogState, RecentAnswers } from "../../operate/gateway-log/recent-answers.ts";
import type { GatewayNote, RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { readManifestHead } from "../../publish/snapshot/manifest-head.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import {
  heldBy,
  presentTenant,
  type RegistryReading,
  type Removal,
  type Rename,
  readRemovals,
  readRenames,
  registryReading,
} from "./registry.ts";
import { type BuildRecord, readBuildRecords } from "./runs.ts";

export interface TenantFacts extends BuildRecord {
  readonly tenantId: string;
  /** `null` when partners get 500: nothing was ever published, or what is there is damaged (see `fault`). */
  readonly live: LiveFacts | null;
  readonly fault: string | null;
  /** The hold, also of a tenant whose manifest is damaged. */
  readonly hold: Hold | null;
  readonly removal: Removal | null;
  /** The tenant to which this tenant's access keys were moved. */
  readonly rename: Rename | null;
  /** `null` when the list of access keys could not be read. */
  readonly keys: readonly RegisteredToken[] | null;
  /** The snapshot with the most programs among those right before the live one; `null` when none was read. */
  readonly mostPrograms: { readonly programs: number; readonly generatedAt: string } | null;
  /** The gateways' answers to the tenant's partners in the last hour; `null` without a log. */
  readonly answers: Answers | null;
}

export interface LiveFacts {
  readonly snapshotId: SnapshotId;
  readonly generation: number;
  /** When the source was read. */
  readonly generatedAt: string;
  /** When the source was read for what partners see. This is earlier when the last build only took out withdrawn programs. */
  readonly contentAt: string;
  readonly publishedAt: string;
  /** When a build last found that this snapshot is what the source says; `null` when that is not known. */
  readonly confirmedAt: string | null;
  readonly programs: number;
}

export interface Hold {
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
  /** `null`: not recorded. */
  readonly by: string | null;
}

export interface GatewayFacts {
  readonly state: LogState;
  readonly notes: readonly GatewayNote[];
  /** Requests of the last hour whose access key the gateway did not know. */
  readonly anonymous: Answers;
  /** An answer of the last minute whose snapshot the gateway could not confirm (W162). */
  readonly unconfirmed: RequestLogLine | null;
  /** The identity of the store that was asked; `null` when it has none. */
  readonly storeId: string | null;
}

export interface TenantsReading {
  /** By tenant id. */
  readonly tenants: readonly TenantFacts[];
  /** `null` when no log was given. */
  readonly gateways: GatewayFacts | null;
  readonly usualIntervalMs: number | null;
  readonly faults: readonly string[];
}

export interface TenantsQuestion {
  readonly store: ObjectStore;
  /** The one tenant to read. `undefined` asks for all tenants that the store or a run report knows. */
  readonly only?: TenantId | undefined;
  /** Whether to include removed tenants of which nothing is stored. */
  readonly withRemoved?: boolean;
  /** What the gateways' log says of the last hour; `undefined` when no log was given. */
  readonly log?: RecentAnswers | undefined;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Whole manifests in memory at a time. */
const maxParallelReads = 8;
/** The number of earlier manifests whose heads are read, for all tenants together and for one. */
const maxEarlier = 1000;
const maxEarlierEach = 5;

/** Reads pointer and manifest of each tenant, as a gateway does, and the facts about them in runs, keys, audit and log. */
export async function readTenants(question: TenantsQuestion): Promise<TenantsReading> {
  const { store, only, log, now, signal } = question;
  const stored = only === undefined ? await allStored(store, signal) : [only];
  const [records, keys, gateways] = await Promise.all([
    readBuildRecords(store, new Set(stored), now, signal),
    registryReading(store),
    log && gatewayFacts(store, log),
  ]);
  const { value: removals, faults } = await readRemovals(store, keys, signal);
  // A tenant whose first build failed has no folder, but people ask about it most of all.
  const named = only === undefined ? records.named.filter(isTenantId) : [];
  if (question.withRemoved === true) named.push(...[...removals.keys()].filter(isTenantId));
  const tenantIds = [...new Set([...stored, ...named])].sort();
  const earlier = Math.min(maxEarlierEach, Math.floor(maxEarlier / Math.max(1, tenantIds.length)));
  const own = keysByTenant(keys);
  const mayBeRenamed = tenantIds.some(
    (tenantId) => removals.has(tenantId) || (own.size > 0 && !own.has(tenantId)),
  );
  const renames = mayBeRenamed ? await readRenames(store, signal) : new Map<string, Rename>();
  const tenants = await inRounds(tenantIds, maxParallelReads, async (tenantId): Promise<TenantFacts> => {
    const record = records.of(tenantId);
    const { parent, ...liveState } = await readLiveState(store, tenantId, record, signal);
    const rename = renames.get(tenantId);
    return {
      tenantId,
      ...record,
      ...liveState,
      removal: removals.get(tenantId) ?? null,
      rename: rename === undefined ? null : { ...rename, tenantId: presentTenant(renames, tenantId) },
      keys: keys.kind === "read" ? (own.get(tenantId) ?? []) : null,
      mostPrograms: await mostProgramsBefore(store, tenantId, parent, earlier, signal),
      answers: log?.of(tenantId) ?? null,
    };
  });
  const unread = keys.kind === "read" ? [] : [`Access keys are not looked at: ${keys.reason}`];
  return {
    tenants,
    gateways: gateways ?? null,
    usualIntervalMs: records.usualIntervalMs,
    faults: [...records.faults, ...faults, ...unread],
  };
}

async function allStored(store: ObjectStore, signal: AbortSignal): Promise<readonly TenantId[]> {
  const tenantIds: TenantId[] = [];
  for await (const tenantId of storedTenants(store, signal)) tenantIds.push(tenantId);
  return tenantIds;
}

async function gatewayFacts(store: ObjectStore, log: RecentAnswers): Promise<GatewayFacts> {
  const { state, notes, unconfirmed } = log;
  return { state, notes, unconfirmed, anonymous: log.of(null), storeId: await ownStoreId(store) };
}

/** The identity of the store; `null` when it has none or cannot be asked. */
export async function ownStoreId(store: ObjectStore): Promise<string | null> {
  return (await readStoreIdentity(store).catch(() => undefined))?.storeId ?? null;
}

function keysByTenant(reading: RegistryReading): ReadonlyMap<string, readonly RegisteredToken[]> {
  const own = new Map<string, RegisteredToken[]>();
  for (const token of reading.kind === "read" ? reading.registry.tokens : []) {
    const known = own.get(token.tenantId);
    if (known === undefined) own.set(token.tenantId, [token]);
    else known.push(token);
  }
  return own;
}

async function readLiveState(
  store: ObjectStore,
  tenantId: TenantId,
  record: BuildRecord,
  signal: AbortSignal,
): Promise<Pick<TenantFacts, "live" | "fault" | "hold"> & { readonly parent: SnapshotId | null }> {
  let hold: Hold | null = null;
  try {
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return { live: null, fault: null, hold, parent: null };
    const { snapshotId, generation, publishedAt, hold: held } = pointer.current;
    hold = held && { ...held, by: await heldBy(store, tenantId, held.since, signal) };
    // A manifest that a gateway refuses is not live, even if its first lines can be read (P54).
    const manifest = await readLiveManifest(store, pointer.current, signal);
    const { generatedAt, contentAt = generatedAt, programs, parent } = manifest;
    const confirmed = confirmedAtOf(record.confirmation, snapshotId);
    const times = { generatedAt, contentAt, publishedAt, confirmedAt: confirmed };
    const live = { snapshotId, generation, ...times, programs: programs.count };
    return { live, fault: null, hold, parent };
  } catch (error) {
    const failure = asFailure(error);
    // One damaged tenant must not hide the others. A store that is away does hide all.
    if (failure.code !== "corrupt_document") throw error;
    return { live: null, fault: failure.message, hold, parent: null };
  }
}

/**
 * Goes back from snapshot to snapshot. Ends at a damaged or pruned one without a failure, since nothing depends on the result.
 */
async function mostProgramsBefore(
  store: ObjectStore,
  tenantId: TenantId,
  parent: SnapshotId | null,
  steps: number,
  signal: AbortSignal,
): Promise<TenantFacts["mostPrograms"]> {
  let most: TenantFacts["mostPrograms"] = null;
  let next = parent;
  for (let step = 0; step < steps && next !== null; step += 1) {
    const head = await unlessFailed(readManifestHead(store, tenantId, next, signal), "corrupt_document");
    if (head !== undefined && head.programs > (most?.programs ?? 0)) most = head;
    next = head?.parent ?? null;
  }
  return most;
}
