import { type Current, parseCurrent } from "../core/current.ts";
import { Failure, type FailureCode } from "../core/failure.ts";
import type { TenantId } from "../core/ids.ts";
import { maxCurrentBytes, maxManifestBytes } from "../core/limits.ts";
import type { Manifest } from "../core/manifest.ts";
import { readBody } from "../core/object-body.ts";
import { currentKey, manifestKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import { readManifest } from "../core/read-manifest.ts";
import { Confirmed, type Copied, type StoreReading } from "./confirmed.ts";
import { settledWithin } from "./deadline.ts";
import type { StoreReader } from "./store-watch.ts";

/** A tenant's pointer and the manifest that it names. */
export interface ReadSnapshot {
  readonly tenantId: TenantId;
  /** The pointer's generation. It rises with every publication, also with a rollback to an older snapshot. */
  readonly generation: number;
  readonly manifest: Manifest;
  /** The pointer's version in the store; `undefined` when it comes from the last good copy. */
  readonly etag: ETag | undefined;
}

/** The snapshot that a tenant's partners see. */
export interface LiveSnapshot extends ReadSnapshot {
  /** The header lines of responses from this snapshot. */
  readonly headers: string;
  /** `undefined` while the snapshot is confirmed to be live. */
  readonly unconfirmed: Unconfirmed | undefined;
}

/** W162: since when, and why, the gateway does not know whether the snapshot is still live. */
export interface Unconfirmed {
  /** RFC 3339, UTC. */
  readonly since: string;
  readonly code: FailureCode;
}

/** The live snapshot of each tenant, as far as this process knows. */
export interface LiveSnapshots {
  /** At once when confirmed recently, else after a refresh that all share. Rejects when nothing may be served (P18). */
  liveOf(tenantId: TenantId): LiveSnapshot | Promise<LiveSnapshot>;
  /** Tenants with a snapshot in memory, each with the ms since it was last confirmed, the oldest first. */
  ages(): readonly { readonly tenantId: TenantId; readonly ageMs: number }[];
  /** Forgets snapshots that nobody requested for `maxStaleMs`. */
  sweep(): void;
  /** Whether any tenant is served from the last good copy, because the store has not confirmed it yet. */
  isServingCopy(): boolean;
  /** Makes the header lines of all snapshots again, because the result of `headersOf` may have changed. */
  updateHeaders(): void;
}

export function createLiveSnapshots(
  options: StoreReading & {
    readonly maxStaleMs: number;
    /** The header lines of responses from a snapshot. They are made ahead of time, so that no request pays for them. */
    readonly headersOf: (snapshot: ReadSnapshot) => string;
  },
): LiveSnapshots {
  const { store, clocks, refreshMs, maxStaleMs, headersOf, mirror } = options;
  const clock = clocks.monotonicMs;
  const tenants = new Map<TenantId, TenantState>();

  /** What the process knows of the tenant from now on. */
  function confirmedOf(tenantId: TenantId): Confirmed<ReadSnapshot> {
    const key = currentKey(tenantId);
    /** The lowest generation that is still accepted, with its snapshot. */
    let floor: Pick<Current, "generation" | "snapshotId"> | undefined;
    let isCopyLost = false;

    /**
     * The snapshot held if the pointer has not changed, else the one that the pointer names now. Throws when the pointer or the
     * manifest is missing, foreign, damaged, or older than `floor`.
     */
    async function read(beganAtMs: number, signal: AbortSignal): Promise<ReadSnapshot> {
      // W85: what the copy has lost is read whole again, and so kept again.
      const before = isCopyLost ? undefined : confirmed.value;
      const found = await store.get(key, { ifNoneMatch: before?.etag, signal });
      if (found.kind === "missing") {
        throw new Failure("not_found", `${key} is missing: the tenant has no published snapshot.`);
      }
      if (found.kind === "not_modified") {
        if (before === undefined) throw new Failure("store_unsupported", `${key} is unchanged, unasked.`);
        isCopyLost = mirror?.confirm(key, beganAtMs) === false;
        return before;
      }
      const pointer = await readBody(found, maxCurrentBytes, key);
      const current = parseCurrent(pointer, tenantId);
      refuseOlder(current, floor, key);
      const { generation } = current;
      const isHeld = before?.generation === generation;
      const { manifest, manifestBytes } = isHeld
        ? { manifest: before.manifest, manifestBytes: undefined }
        : await readManifestOf(store, current, signal);
      mirror?.keepSnapshot(manifest, manifestBytes, pointer, beganAtMs);
      isCopyLost = false;
      floor = current;
      return { tenantId, generation, manifest, etag: found.etag };
    }

    async function restore(): Promise<Copied<ReadSnapshot> | undefined> {
      const copy = await mirror?.document(key);
      if (mirror === undefined || copy === undefined) return undefined;
      const current = parseCurrent(copy.value, tenantId);
      // W79, P3: the generation of a copy counts even if the copy is too old to be served.
      floor ??= current;
      const { manifest } = await readManifestOf(mirror.copy, current);
      const value = { tenantId, generation: current.generation, manifest, etag: undefined };
      return { value, confirmedAtMs: copy.confirmedAtMs };
    }

    const what = `the pointer of tenant ${tenantId}`;
    const logFields = () => ({ tenantId, ...options.logFields() });
    const confirmed = new Confirmed({ ...options, what, logFields, outageTexts, read, restore });
    return confirmed;
  }

  function newState(tenantId: TenantId): TenantState {
    const never = Number.NEGATIVE_INFINITY;
    const confirmed = confirmedOf(tenantId);
    const state: TenantState = {
      confirmed,
      live: undefined,
      refresh: undefined,
      restored: undefined,
      retryAtMs: never,
      usedAtMs: never,
    };
    // Requests wait for a hanging disk only once.
    if (mirror !== undefined) {
      state.restored = settledWithin(
        maxWaitMs,
        confirmed.restore().then(() => show(state)),
      );
    }
    tenants.set(tenantId, state);
    return state;
  }

  /** Makes what requests get of the state. */
  function show(state: TenantState): void {
    const { value, failure } = state.confirmed;
    const unconfirmed = failure && { since: failure.since, code: failure.cause.code };
    state.live = value && { ...value, headers: headersOf(value), unconfirmed };
  }

  function begin(state: TenantState): Refresh {
    const refresh = async (): Promise<void> => {
      await state.confirmed.refresh();
      // While the store fails, requests must not start one attempt each.
      if (state.confirmed.failure !== undefined) state.retryAtMs = clock() + Math.max(refreshMs, minRetryMs);
      show(state);
      state.refresh = undefined;
    };
    state.refresh = { beganAtMs: clock(), done: refresh() };
    return state.refresh;
  }

  async function refreshed(state: TenantState): Promise<LiveSnapshot> {
    await state.restored;
    const { confirmed } = state;
    const running = state.refresh ?? (clock() < state.retryAtMs ? undefined : begin(state));
    if (running !== undefined) {
      const patienceMs = running.beganAtMs + maxWaitMs - clock();
      // A stalled store must not delay requests for long when there is a snapshot that may be served.
      if (!confirmed.isUsable()) await running.done;
      else if (patienceMs > 0) await settledWithin(patienceMs, running.done);
    }
    if (state.live !== undefined && confirmed.isUsable()) return state.live;
    const cause = confirmed.failure?.cause;
    throw cause ?? new Failure("store_unavailable", "The tenant's snapshot could not be confirmed.");
  }

  return {
    liveOf(tenantId) {
      const state = tenants.get(tenantId) ?? newState(tenantId);
      const nowMs = clock();
      state.usedAtMs = nowMs;
      const ageMs = nowMs - state.confirmed.confirmedAtMs;
      if (state.live === undefined || ageMs > refreshMs) return refreshed(state);
      // The refresh begins early, so that requests of a busy tenant never wait for it.
      if (ageMs > refreshMs * aheadShare && state.refresh === undefined && nowMs >= state.retryAtMs)
        begin(state);
      return state.live;
    },

    ages() {
      return [...tenants]
        .filter(([, { live }]) => live !== undefined)
        .map(([tenantId, { confirmed }]) => ({ tenantId, ageMs: confirmed.ageMs() }))
        .sort((a, b) => b.ageMs - a.ageMs);
    },

    isServingCopy() {
      return [...tenants.values()].some(({ confirmed }) => confirmed.isFromCopy && confirmed.isUsable());
    },

    updateHeaders() {
      for (const state of tenants.values()) show(state);
    },

    sweep() {
      const unusedSince = clock() - maxStaleMs;
      for (const state of tenants.values()) {
        if (state.usedAtMs >= unusedSince || state.refresh !== undefined) continue;
        // The floor stays, so that an older generation is never accepted again.
        state.confirmed.forget();
        state.live = undefined;
      }
    },
  };
}

interface Refresh {
  readonly beganAtMs: number;
  readonly done: Promise<void>;
}

interface TenantState {
  readonly confirmed: Confirmed<ReadSnapshot>;
  /** `confirmed`, as requests get it. */
  live: LiveSnapshot | undefined;
  refresh: Refresh | undefined;
  /** Settles when the last good copy was read, or takes too long. */
  restored: Promise<void> | undefined;
  retryAtMs: number;
  usedAtMs: number;
}

const outageTexts = {
  failed: "the tenant's snapshot could not be confirmed",
  succeeded: "the tenant's snapshot is confirmed again",
};

const minRetryMs = 500;
/** How long a request waits for a refresh when it could be answered without one. */
const maxWaitMs = 1000;
const aheadShare = 0.8;

/** P3: a generation never falls and never names two snapshots. A pointer that breaks this is an old copy or another store's. */
function refuseOlder(
  current: Current,
  floor: Pick<Current, "generation" | "snapshotId"> | undefined,
  key: string,
): void {
  if (floor === undefined || current.generation > floor.generation) return;
  if (current.generation === floor.generation && current.snapshotId === floor.snapshotId) return;
  const found = `generation ${current.generation} (snapshot ${current.snapshotId})`;
  const seen = `generation ${floor.generation} (snapshot ${floor.snapshotId})`;
  throw new Failure("corrupt_document", `${key} went back from ${seen} to ${found}.`);
}

/** The manifest that the pointer names, with its bytes. */
async function readManifestOf(
  store: StoreReader,
  current: Current,
  signal?: AbortSignal,
): Promise<{ readonly manifest: Manifest; readonly manifestBytes: Buffer }> {
  const key = manifestKey(current.tenantId, current.snapshotId);
  const found = await store.get(key, { signal, wholeUpTo: maxManifestBytes });
  if (found.kind !== "object") throw new Failure("corrupt_document", `${key} is live but missing.`);
  const manifestBytes = await readBody(found, maxManifestBytes, key);
  // No request asks for the programs that builds took out, so memory does not hold them for each tenant.
  const { removed: _, ...manifest } = await readManifest([manifestBytes], current);
  return { manifest, manifestBytes };
}
