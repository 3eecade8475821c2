import { parseCurrent } from "../core/current.ts";
import { Failure } from "../core/failure.ts";
import type { TenantId } from "../core/ids.ts";
import type { Logger } from "../core/logger.ts";
import { currentKey } from "../core/object-key.ts";
import type { Clocks } from "./clocks.ts";
import { Confirmed, type Copied } from "./confirmed.ts";
import { settledWithin } from "./deadline.ts";
import {
  type Floor,
  type LiveSnapshot,
  type ReadSnapshot,
  readLiveSnapshot,
  readManifestOf,
} from "./live-snapshot.ts";
import type { KeptSnapshot, Mirror } from "./mirror.ts";
import { createOutageLog } from "./outage-log.ts";
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
  /** Whether any tenant is served from the last good copy, because the store has not confirmed it yet. */
  isServingCopy(): boolean;
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
  const { store, storeId, logger, clocks, refreshMs, maxStaleMs, headersOf, mirror } = options;
  const clock = clocks.monotonicMs;
  const tenants = new Map<TenantId, TenantState>();

  /** What the process knows of the tenant from now on. */
  function confirmedOf(tenantId: TenantId): Confirmed<ReadSnapshot> {
    const key = currentKey(tenantId);
    let floor: Floor | undefined;
    let isCopyLost = false;

    async function read(confirmedAtMs: number, signal: AbortSignal): Promise<ReadSnapshot> {
      // W101: what the copy has lost is read whole again, and so kept again.
      const before = isCopyLost ? undefined : confirmed.value;
      const keep = mirror && ((kept: KeptSnapshot) => mirror.keepSnapshot(kept, confirmedAtMs));
      const found = await readLiveSnapshot(store, { tenantId, before, floor, keep }, signal);
      floor = { generation: found.generation, snapshotId: found.manifest.snapshotId };
      isCopyLost = mirror?.confirm(key, confirmedAtMs) === false;
      return found;
    }

    async function restore(): Promise<Copied<ReadSnapshot> | undefined> {
      const copy = await mirror?.document(key);
      if (mirror === undefined || copy === undefined) return undefined;
      const current = parseCurrent(copy.bytes, tenantId);
      // W79, P3: the generation of a copy counts even if the copy is too old to be served.
      floor ??= current;
      const { manifest } = await readManifestOf(mirror.copy, current);
      const value = { tenantId, generation: current.generation, manifest, etag: undefined };
      return { value, confirmedAtMs: copy.confirmedAtMs };
    }

    const outage = createOutageLog(logger, outageTexts, clock, () => ({ tenantId, storeId: storeId() }));
    const what = `the pointer of tenant ${tenantId}`;
    const confirmed = new Confirmed<ReadSnapshot>({ ...options, what, outage, read, restore });
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
