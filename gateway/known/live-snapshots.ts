import { Failure, type FailureCode } from "../../core/ground/failure.ts";
import type { TenantId } from "../../core/ground/ids.ts";
import { settledWithin } from "../deadline.ts";
import { Confirmed, type StoreReading } from "./confirmed.ts";
import { LivePointer, type ReadSnapshot } from "./live-pointer.ts";

/** The snapshot that a tenant's partners see. */
export interface LiveSnapshot extends ReadSnapshot {
  /** The header lines of responses from this snapshot. */
  readonly headers: string;
  /** W162: since when (RFC 3339, UTC) and why it is not known to be live; `undefined` while it is known. */
  readonly unconfirmed: { readonly since: string; readonly code: FailureCode } | undefined;
}

export interface LiveSnapshotsOptions extends StoreReading {
  readonly maxStaleMs: number;
  /** The header lines of responses from a snapshot, made ahead of time, so that no request pays. */
  readonly headersOf: (snapshot: ReadSnapshot) => string;
}

/** The live snapshot of each tenant, as far as this process knows. */
export class LiveSnapshots {
  readonly #options: LiveSnapshotsOptions;
  /** A tenant that was asked for once stays, so that no older generation of it is ever accepted. */
  readonly #tenants = new Map<TenantId, TenantSnapshot>();

  constructor(options: LiveSnapshotsOptions) {
    this.#options = options;
  }

  /** At once when confirmed recently, else after a shared refresh. Rejects if nothing may be served (P18). */
  liveOf(tenantId: TenantId): LiveSnapshot | Promise<LiveSnapshot> {
    return (this.#tenants.get(tenantId) ?? this.#added(tenantId)).forRequest();
  }

  /** Tenants with a snapshot in memory, each with the ms since it was last confirmed, the oldest first. */
  ages(): readonly { readonly tenantId: TenantId; readonly ageMs: number }[] {
    return [...this.#tenants]
      .filter(([, { shown }]) => shown !== undefined)
      .map(([tenantId, { confirmed }]) => ({ tenantId, ageMs: confirmed.ageMs() }))
      .sort((a, b) => b.ageMs - a.ageMs);
  }

  /** Whether any tenant is served from the last good copy, because the store has not confirmed it yet. */
  isServingCopy(): boolean {
    return [...this.#tenants.values()].some(({ confirmed }) => confirmed.isFromCopy && confirmed.isUsable());
  }

  /** Makes the header lines of all snapshots again, because the result of `headersOf` may have changed. */
  updateHeaders(): void {
    for (const tenant of this.#tenants.values()) tenant.show();
  }

  /** Forgets snapshots that nobody requested for `maxStaleMs`. */
  sweep(): void {
    for (const tenant of this.#tenants.values()) tenant.forgetIfUnused();
  }

  #added(tenantId: TenantId): TenantSnapshot {
    const tenant = new TenantSnapshot(tenantId, this.#options);
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }
}

/** One tenant's snapshot: what is confirmed, what requests get of it, and the refresh under way. */
class TenantSnapshot {
  readonly confirmed: Confirmed<ReadSnapshot>;
  /** `confirmed`, as requests get it. */
  shown: LiveSnapshot | undefined;
  readonly #options: LiveSnapshotsOptions;
  readonly #clock: () => number;
  #refresh: Refresh | undefined;
  /** Settles when the last good copy was read or takes too long: requests wait for a hung disk only once. */
  readonly #restored: Promise<void> | undefined;
  /** While the store fails, requests must not start one attempt each. */
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;

  constructor(tenantId: TenantId, options: LiveSnapshotsOptions) {
    const pointer = new LivePointer(tenantId, options);
    this.#options = options;
    this.#clock = options.clocks.monotonicMs;
    this.confirmed = new Confirmed<ReadSnapshot>({
      ...options,
      what: `the pointer of tenant ${tenantId}`,
      logFields: () => ({ tenantId, ...options.logFields() }),
      outageTexts,
      read: (beganAtMs, signal) => pointer.read(this.confirmed.value, beganAtMs, signal),
      restore: () => pointer.restore(),
    });
    if (options.mirror !== undefined) {
      const restored = this.confirmed.restore().then(() => this.show());
      this.#restored = settledWithin(maxWaitMs, restored);
    }
  }

  forRequest(): LiveSnapshot | Promise<LiveSnapshot> {
    const nowMs = this.#clock();
    this.#usedAtMs = nowMs;
    const need = refreshNeed(nowMs - this.confirmed.confirmedAtMs, this.#options.refreshMs);
    if (this.shown === undefined || need === "due") return this.#refreshed();
    if (need === "soon" && this.#refresh === undefined && nowMs >= this.#retryAtMs) this.#begin();
    return this.shown;
  }

  /** Makes what requests get. */
  show(): void {
    const { value, failure } = this.confirmed;
    const unconfirmed = failure && { since: failure.since, code: failure.cause.code };
    this.shown = value && { ...value, headers: this.#options.headersOf(value), unconfirmed };
  }

  /** The pointer's floor stays, so that an older generation is never accepted again. */
  forgetIfUnused(): void {
    const isUsed = this.#usedAtMs >= this.#clock() - this.#options.maxStaleMs;
    if (isUsed || this.#refresh !== undefined) return;
    this.confirmed.forget();
    this.shown = undefined;
  }

  #begin(): Refresh {
    this.#refresh = { beganAtMs: this.#clock(), done: this.#refreshOnce() };
    return this.#refresh;
  }

  async #refreshOnce(): Promise<void> {
    await this.confirmed.refresh();
    if (this.confirmed.failure !== undefined)
      this.#retryAtMs = this.#clock() + Math.max(this.#options.refreshMs, minRetryMs);
    this.show();
    this.#refresh = undefined;
  }

  async #refreshed(): Promise<LiveSnapshot> {
    await this.#restored;
    const { confirmed } = this;
    const running = this.#refresh ?? (this.#clock() < this.#retryAtMs ? undefined : this.#begin());
    if (running !== undefined) {
      const patienceMs = running.beganAtMs + maxWaitMs - this.#clock();
      // A stalled store must not delay requests for long when there is a snapshot that may be served.
      if (!confirmed.isUsable()) await running.done;
      else if (patienceMs > 0) await settledWithin(patienceMs, running.done);
    }
    if (this.shown !== undefined && confirmed.isUsable()) return this.shown;
    const cause = confirmed.failure?.cause;
    throw cause ?? new Failure("store_unavailable", "The tenant's snapshot could not be confirmed.");
  }
}

interface Refresh {
  readonly beganAtMs: number;
  readonly done: Promise<void>;
}

/**
 * Whether a snapshot confirmed so long ago is to be confirmed again: `due` before it is used, or `soon`,
 * beside requests, so that those of a busy tenant never wait for it.
 */
export function refreshNeed(ageMs: number, refreshMs: number): "none" | "soon" | "due" {
  if (ageMs > refreshMs) return "due";
  return ageMs > refreshMs * aheadShare ? "soon" : "none";
}

const aheadShare = 0.8;

const outageTexts = {
  failed: "the tenant's snapshot could not be confirmed",
  succeeded: "the tenant's snapshot is confirmed again",
};

const minRetryMs = 500;
/** How long a request waits for a refresh when it could be answered without one. */
const maxWaitMs = 1000;
