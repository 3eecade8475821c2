import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { tokenStatus } from "../../../core/token-registry.ts";
import { knownSandbox } from "../../publish/sandbox/sandbox-document.ts";
import { readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { readManifestHead } from "../../publish/snapshot/manifest-head.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import type { TenantRow } from "../../publish/source/read-tenants.ts";
import { readRegistry } from "../tokens/edit-registry.ts";

/** A tenant that the source, the store or the tokens know. A value is `null` when its side could not be asked. */
export interface TenantLine {
  /** The id as the source writes it. */
  readonly tenantId: string;
  readonly name: string | null;
  readonly isInSource: boolean | null;
  /** Also `null` when nothing is published, or the published data is damaged. */
  readonly live: LiveLine | null;
  readonly fault: string | null;
  readonly activeTokens: number | null;
  readonly removedAt: string | null;
  readonly isSandbox: boolean;
}

export interface LiveLine {
  readonly snapshotId: string;
  readonly generation: number;
  readonly publishedAt: string;
  readonly programs: number | null;
}

/** Why each side could not be asked; `null` when it was. */
export interface TenantSides {
  readonly source: string | null;
  readonly store: string | null;
  readonly tokens: string | null;
}

export interface TenantList {
  /** By tenant id. */
  readonly tenants: readonly TenantLine[];
  readonly away: TenantSides;
}

/** The tenants of source, store and tokens. A side that is away hides no other; throws when all three are away. */
export async function listTenants(
  store: ObjectStore,
  askSource: () => Promise<readonly TenantRow[]>,
  now: Date,
  signal: AbortSignal,
): Promise<TenantList> {
  const [source, stored, tokens] = await Promise.all([
    side(askSource, signal),
    side(() => linesOfStore(store, signal), signal),
    side(() => activeTokens(store, now), signal),
  ]);
  if (source.error !== undefined && stored.error !== undefined && tokens.error !== undefined)
    throw stored.error;
  // A row without an id is no tenant (D131). `source check` and builds report it.
  const rows = new Map(
    source.value?.flatMap(({ tenantId, name }) => (tenantId === null ? [] : [[tenantId, name]])),
  );
  const ids = [
    ...new Set([...rows.keys(), ...(stored.value?.keys() ?? []), ...(tokens.value?.keys() ?? [])]),
  ];
  const tenants = ids.sort().map((tenantId): TenantLine => {
    const known = stored.value?.get(tenantId);
    return {
      tenantId,
      name: rows.get(tenantId) ?? null,
      isInSource: source.value === undefined ? null : rows.has(tenantId),
      live: known?.live ?? null,
      fault: known?.fault ?? null,
      activeTokens: tokens.value === undefined ? null : (tokens.value.get(tenantId) ?? 0),
      removedAt: known?.removedAt ?? null,
      isSandbox: known?.isSandbox ?? false,
    };
  });
  const away = { source: source.reason, store: stored.reason, tokens: tokens.reason };
  return { tenants, away };
}

interface Side<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly reason: string | null;
}

async function side<Value>(ask: () => Promise<Value>, signal: AbortSignal): Promise<Side<Value>> {
  try {
    return { value: await ask(), error: undefined, reason: null };
  } catch (error) {
    if (signal.aborted) throw error;
    return { value: undefined, error, reason: asFailure(error).message };
  }
}

type StoredTenant = Pick<TenantLine, "live" | "fault" | "removedAt" | "isSandbox">;

const maxParallelReads = 8;

async function linesOfStore(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, StoredTenant>> {
  const [removed, sandbox] = await Promise.all([
    readRemovedTenants(store, signal),
    knownSandbox(store, signal),
  ]);
  const ids = new Set([...removed].flatMap(([id, { removedAt }]) => (removedAt === null ? [] : [id])));
  for await (const tenantId of storedTenants(store, signal)) ids.add(tenantId);
  const found = new Map<string, StoredTenant>();
  await forEachBounded([...ids], maxParallelReads, async (tenantId) => {
    const removedAt = removed.get(tenantId)?.removedAt ?? null;
    const live = await liveLine(store, tenantId, signal);
    found.set(tenantId, { ...live, removedAt, isSandbox: tenantId === sandbox });
  });
  return found;
}

async function liveLine(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<Pick<StoredTenant, "live" | "fault">> {
  try {
    const pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return { live: null, fault: null };
    const { snapshotId, generation, publishedAt } = pointer.current;
    const head = await readManifestHead(store, tenantId, snapshotId, signal);
    return {
      live: { snapshotId, generation, publishedAt, programs: head?.programs ?? null },
      fault: head === undefined ? `Snapshot ${snapshotId} has no manifest.json.` : null,
    };
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code !== "corrupt_document") throw error;
    return { live: null, fault: failure.message };
  }
}

async function activeTokens(store: ObjectStore, now: Date): Promise<ReadonlyMap<string, number>> {
  const { registry } = await readRegistry(store);
  const counts = new Map<string, number>();
  for (const token of registry.tokens) {
    const isActive = tokenStatus(token, now) === "active";
    counts.set(token.tenantId, (counts.get(token.tenantId) ?? 0) + (isActive ? 1 : 0));
  }
  return counts;
}
