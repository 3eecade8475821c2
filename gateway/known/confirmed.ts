import { asFailure, type Failure } from "../../core/ground/failure.ts";
import type { Logger } from "../../core/process/logger.ts";
import type { Clocks } from "../clocks.ts";
import { withCallDeadline } from "../deadline.ts";
import type { Copied, Mirror } from "./mirror.ts";
import { createOutageLog, type OutageLog, type OutageTexts } from "./outage-log.ts";
import type { StoreReader } from "./store-reader.ts";

/** What everything needs that reads documents of the store at intervals. */
export interface StoreReading {
  readonly store: StoreReader;
  readonly clocks: Clocks;
  readonly refreshMs: number;
  readonly callTimeoutMs: number;
  readonly logger: Logger;
  /** The ids of the stores that the gateway goes by and has found, for the log. */
  readonly logFields: () => Readonly<Record<string, string | undefined>>;
  readonly mirror?: Mirror | undefined;
}

export interface ConfirmedOptions<Value>
  extends Pick<StoreReading, "clocks" | "callTimeoutMs" | "logger" | "logFields"> {
  /** Names the document in messages. */
  readonly what: string;
  /** How long the value may be used after its last confirmation. */
  readonly maxStaleMs: number;
  readonly outageTexts: OutageTexts;
  /** Whether a failure is worth a warning. */
  readonly isFault?: (failure: Failure) => boolean;
  /** The store's value now: the one held, if unchanged. Throws when the store has none that may be used. */
  readonly read: (beganAtMs: number, signal: AbortSignal) => Promise<Value>;
  /** The value in the last good copy. */
  readonly restore?: (() => Promise<Copied<Value> | undefined>) | undefined;
}

/**
 * A document of the store as this process holds it. Each refresh that succeeds confirms it, also when nothing
 * has changed. While the store is away it may be used until `maxStaleMs` after its last confirmation, and not
 * any longer (T9, P18). Staleness is measured by the monotonic clock, so the bound also holds for a process
 * that was stopped for a while.
 */
export class Confirmed<Value> {
  value: Value | undefined;
  /** When the refresh that last confirmed the value began. */
  confirmedAtMs = Number.NEGATIVE_INFINITY;
  /** Why the last refresh failed, and since when refreshes fail (RFC 3339, UTC); else `undefined`. */
  failure: { readonly cause: Failure; readonly since: string } | undefined;
  /** The value comes from the last good copy, and the store has not confirmed it yet. */
  isFromCopy = false;
  readonly #options: ConfirmedOptions<Value>;
  readonly #outage: OutageLog;

  constructor(options: ConfirmedOptions<Value>) {
    const { logger, outageTexts, clocks, logFields } = options;
    this.#options = options;
    this.#outage = createOutageLog(logger, outageTexts, clocks.monotonicMs, logFields);
  }

  ageMs(): number {
    return this.#options.clocks.monotonicMs() - this.confirmedAtMs;
  }

  isUsable(): boolean {
    return this.value !== undefined && this.ageMs() <= this.#options.maxStaleMs;
  }

  /** Asks the store. Never rejects. Of refreshes that overlap, the one that began last counts. */
  async refresh(): Promise<void> {
    const { what, clocks, callTimeoutMs, isFault, read } = this.#options;
    const beganAtMs = clocks.monotonicMs();
    try {
      const value = await withCallDeadline(callTimeoutMs, `Reading ${what}`, (signal) =>
        read(beganAtMs, signal),
      );
      if (beganAtMs < this.confirmedAtMs) return;
      this.value = value;
      this.confirmedAtMs = beganAtMs;
      this.isFromCopy = false;
      this.failure = undefined;
      this.#outage.succeeded();
    } catch (error) {
      if (beganAtMs < this.confirmedAtMs) return;
      const cause = asFailure(error);
      this.failure = { cause, since: this.failure?.since ?? new Date(clocks.unixMs()).toISOString() };
      this.#outage.failed(cause, isFault?.(cause) === false ? "debug" : "warn");
    }
  }

  /** W76: takes over what an earlier process confirmed, unless the store answered. Never rejects. */
  async restore(): Promise<void> {
    const copy = await this.#options.restore?.().catch(() => undefined);
    if (copy === undefined || this.confirmedAtMs !== Number.NEGATIVE_INFINITY) return;
    this.value = copy.value;
    this.confirmedAtMs = copy.confirmedAtMs;
    this.isFromCopy = true;
  }

  forget(): void {
    this.value = undefined;
    this.confirmedAtMs = Number.NEGATIVE_INFINITY;
    this.isFromCopy = false;
  }
}
