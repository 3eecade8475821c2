import { parseCurrent } from "../core/current.ts";
import { asFailure, Failure } from "../core/failure.ts";
import type { TenantId } from "../core/ids.ts";
import type { Logger } from "../core/logger.ts";
import { currentKey, manifestKey } from "../core/object-key.ts";
import { readManifest } from "../core/read-manifest.ts";
import type { Clocks } from "./clocks.ts";
import { settledWithin, withCallDeadline } from "./deadline.ts";
import {
  type Floor,
  type KeepSnapshot,
  type LiveSnapshot,
  type ReadSnapshot,
  readLiveSnapshot,
} from "./live-snapshot.ts";
import type { Mirror } from "./mirror.ts";
import { createOutageLog, type OutageLog } from "./outage-log.ts";
import type { StoreReader } from "./store-watch.ts";

/** The live snapshot of each tenant, as far as this process knows. */
export interface LiveSnapshots {
  /**
   * Returns the snapshot at once when it was confirmed recently, else after a refresh that all waiting requests share.
   * Rejects when there is nothing that may be served (P18).
   */
  liveOf(tenantId: TenantId): LiveSnapshot | Promise<LiveSnapshot>;
  /** Tenants with a snapshot in memory, each with the ms since it was last confirmed, the oldest first. */
  ages(): readonly { readonly tenantId: TenantId; readonly ageMs: number }[];
  /** Forgets snapshots that nobody requested for `maxStaleMs`. */
  sweep(): void;
  /** Number of tenants that are served from the last good copy, because the store has not confirmed them yet. */
  servedFromCopy(): number;
  /** Makes the header lines of all snapshots again, because the result of `headersOf` may have changed. */
  updateHeaders(): void;
}

export interface LiveSnapshotsOptions {
  readonly store: StoreReader;
  /** For the log. */
  readonly storeId: () => string | undefined;
  readonly logger: Logger;
  readonly clocks: Clocks;
  readonly refreshMs: number;
  readonly maxStaleMs: number;
  readonly callTimeoutMs: number;
  /** The header lines of responses from a snapshot. They are made ahead of time, so that no request pays for them. */
  readonly headersOf: (snapshot: ReadSnapshot) => string;
  readonly mirror?: Mirror | undefined;
}

export function createLiveSnapshots(options: LiveSnapshotsOptions): LiveSnapshots {
  const { store, storeId, logger, refreshMs, maxStaleMs, callTimeoutMs, headersOf, mirror } = options;
  const { monotonicMs: clock, unixMs } = options.clocks;
  const tenants = new Map<TenantId, TenantState>();

  function stateOf(tenantId: TenantId): TenantState {
    const known = tenants.get(tenantId);
    if (known !== undefined) return known;
    const state: TenantState = {
      tenantId,
      live: undefined,
      floor: undefined,
      confirmedAtMs: Number.NEGATIVE_INFINITY,
      refresh: undefined,
      failure: undefined,
      outage: createOutageLog(logger, outageTexts, clock, () => ({ tenantId, storeId: storeId() })),
      retryAtMs: Number.NEGATIVE_INFINITY,
      usedAtMs: clock(),
      restoring: undefined,
      isRestored: mirror === undefined,
      isFromCopy: false,
      isCopyLost: false,
    };
    tenants.set(tenantId, state);
    return state;
  }

  /** The snapshot with its header lines; `before` itself when nothing has changed. */
  function withHeaders(read: ReadSnapshot, before: LiveSnapshot | undefined): LiveSnapshot {
    const headers = headersOf(read);
    return before === read && before.headers === headers ? before : { ...read, headers };
  }

  /** Never rejects: a failure is kept in the state. */
  async function refresh(state: TenantState, beganAtMs: number): Promise<void> {
    const { tenantId, live: before, floor } = state;
    // W101: what the copy has lost is read whole again, and so kept again.
    const known = { before: state.isCopyLost ? undefined : before, floor };
    let isKept = false;
    const keep: KeepSnapshot | undefined =
      mirror &&
      ((manifest, manifestBytes, pointer) => {
        isKept = true;
        mirror.keepSnapshot(manifest, manifestBytes, pointer, beganAtMs);
      });
    try {
      const live = await withCallDeadline(
        callTimeoutMs,
        `Reading the pointer of tenant ${tenantId}`,
        (signal) => readLiveSnapshot(store, tenantId, known, signal, keep),
      );
      state.outage.succeeded();
      const confirmed = before?.unconfirmed === undefined ? live : { ...live, unconfirmed: undefined };
      state.live = withHeaders(confirmed, before);
      state.floor = { generation: live.generation, snapshotId: live.manifest.snapshotId };
      state.confirmedAtMs = beganAtMs;
      state.failure = undefined;
      state.isFromCopy = false;
      state.isCopyLost = !isKept && mirror?.confirm(currentKey(tenantId), beganAtMs) === false;
    } catch (error) {
      const failure = asFailure(error);
      state.outage.failed(failure);
      state.failure = failure;
      const since = state.live?.unconfirmed?.since ?? new Date(unixMs()).toISOString();
      if (state.live !== undefined)
        state.live = { ...state.live, unconfirmed: { since, code: failure.code } };
      // While the store fails, requests must not start one attempt each.
      state.retryAtMs = clock() + Math.max(refreshMs, minRetryMs);
      // The disk may have been too slow to give the copy, so the next request reads the copy again, unless a read still hangs.
      if (state.live === undefined && state.restoring === undefined) state.isRestored = mirror === undefined;
    } finally {
      state.refresh = undefined;
    }
  }

  /** W76: takes over the snapshot that an earlier process had confirmed, as if this process had run since then. Never rejects. */
  async function restore(state: TenantState): Promise<void> {
    const { tenantId } = state;
    const copy = await mirror?.document(currentKey(tenantId));
    if (mirror === undefined || copy === undefined) return;
    try {
      const { generation, snapshotId, manifestSha256 } = parseCurrent(copy.bytes, tenantId);
      if (state.floor !== undefined && generation < state.floor.generation) return;
      // W79, P3: the generation of a copy counts even if the copy is too old to be served.
      state.floor ??= { generation, snapshotId };
      if (clock() - copy.confirmedAtMs > maxStaleMs) return;
      const bytes = await mirror.bytes(manifestKey(tenantId, snapshotId), manifestSha256);
      if (bytes === undefined) return;
      const manifest = await readManifest([bytes], { tenantId, snapshotId, manifestSha256 });
      // The store may have answered first.
      if (state.live !== undefined) return;
      const read = { tenantId, generation, manifest, manifestSha256, etag: undefined };
      state.live = withHeaders(read, undefined);
      state.confirmedAtMs = copy.confirmedAtMs;
      state.isFromCopy = true;
    } catch {
      // The copy was written by another version, say. The store decides.
    }
  }

  /** Requests wait for a hanging disk only once. */
  async function restored(state: TenantState): Promise<void> {
    state.restoring ??= restore(state).finally(() => {
      state.restoring = undefined;
    });
    await settledWithin(maxWaitMs, state.restoring);
    state.isRestored = true;
  }

  function begin(state: TenantState): Refresh {
    const beganAtMs = clock();
    state.refresh = { beganAtMs, done: refresh(state, beganAtMs) };
    return state.refresh;
  }

  function isUsable(state: TenantState): boolean {
    return state.live !== undefined && clock() - state.confirmedAtMs <= maxStaleMs;
  }

  async function refreshed(state: TenantState): Promise<LiveSnapshot> {
    if (!state.isRestored) await restored(state);
    const running = state.refresh ?? (clock() < state.retryAtMs ? undefined : begin(state));
    if (running !== undefined) {
      const patienceMs = running.beganAtMs + maxWaitMs - clock();
      // A stalled store must not delay requests for long when there is a snapshot that may be served.
      if (!isUsable(state)) await running.done;
      else if (patienceMs > 0) await settledWithin(patienceMs, running.done);
    }
    if (state.live !== undefined && isUsable(state)) return state.live;
    throw state.failure ?? new Failure("store_unavailable", "The tenant's snapshot could not be confirmed.");
  }

  return {
    liveOf(tenantId) {
      const state = stateOf(tenantId);
      const nowMs = clock();
      state.usedAtMs = nowMs;
      const ageMs = nowMs - state.confirmedAtMs;
      if (state.live === undefined || ageMs > refreshMs) return refreshed(state);
      // The refresh begins early, so that requests of a busy tenant never wait for it.
      if (ageMs > refreshMs * aheadShare && state.refresh === undefined && nowMs >= state.retryAtMs)
        begin(state);
      return state.live;
    },

    ages() {
      const nowMs = clock();
      return [...tenants.values()]
        .filter((state) => state.live !== undefined)
        .map((state) => ({ tenantId: state.tenantId, ageMs: nowMs - state.confirmedAtMs }))
        .sort((a, b) => b.ageMs - a.ageMs);
    },

    servedFromCopy: () => [...tenants.values()].filter((state) => state.isFromCopy && isUsable(state)).length,

    updateHeaders() {
      for (const state of tenants.values()) {
        if (state.live !== undefined) state.live = withHeaders(state.live, state.live);
      }
    },

    sweep() {
      const unusedSince = clock() - maxStaleMs;
      for (const state of tenants.values()) {
        // The floor stays, so that an older generation is never accepted again.
        if (state.usedAtMs < unusedSince && state.refresh === undefined) state.live = undefined;
      }
    },
  };
}

interface Refresh {
  readonly beganAtMs: number;
  readonly done: Promise<void>;
}

interface TenantState {
  readonly tenantId: TenantId;
  live: LiveSnapshot | undefined;
  floor: Floor | undefined;
  /** When the refresh that last confirmed `live` began. */
  confirmedAtMs: number;
  refresh: Refresh | undefined;
  failure: Failure | undefined;
  readonly outage: OutageLog;
  retryAtMs: number;
  usedAtMs: number;
  restoring: Promise<void> | undefined;
  isRestored: boolean;
  /** `live` comes from the last good copy, and the store has not confirmed it yet. */
  isFromCopy: boolean;
  /** The copy has lost the pointer or could not be written. */
  isCopyLost: boolean;
}

const outageTexts = {
  failed: "the tenant's snapshot could not be confirmed",
  succeeded: "the tenant's snapshot is confirmed again",
};

const minRetryMs = 500;
/** How long a request waits for a refresh when it could be answered without one. */
const maxWaitMs = 1000;
const aheadShare = 0.8;
