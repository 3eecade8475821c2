import { type Confirmations, confirmedAtOf, readConfirmations } from "../core/confirmations.ts";
import { asFailure, Failure } from "../core/failure.ts";
import type { TenantId } from "../core/ids.ts";
import type { Logger } from "../core/logger.ts";
import { piecesOf } from "../core/object-body.ts";
import { confirmedKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import { withCallDeadline } from "./deadline.ts";
import { createOutageLog } from "./outage-log.ts";
import type { StoreReader } from "./store-watch.ts";

/**
 * When each snapshot was last confirmed to be what the source says, as builds recorded it. No request depends on these times
 * (P26): an unknown one is left out of the answer.
 */
export interface Freshness {
  /** `null` unless that very snapshot is known to be confirmed (P24). */
  confirmedAt(tenantId: TenantId, snapshotId: string): string | null;
  /** The tenants that were confirmed the longest ago, the oldest first; at most `maxListed`. */
  oldest(): readonly ConfirmedTenant[];
  /** Reads `runs/confirmed.json` at once and then at intervals. No request waits for that. */
  start(): void;
  stop(): void;
}

export interface FreshnessOptions {
  readonly store: StoreReader;
  /** For the log. */
  readonly storeId: () => string | undefined;
  readonly logger: Logger;
  readonly refreshMs: number;
  readonly callTimeoutMs: number;
  readonly onChange: () => void;
}

export function createFreshness(options: FreshnessOptions): Freshness {
  const { store, storeId, logger, refreshMs, callTimeoutMs, onChange } = options;
  const stopped = new AbortController();
  let known: { readonly confirmations: Confirmations; readonly etag: ETag } | undefined;
  const outage = createOutageLog(
    logger,
    { failed: "the age of the data could not be read", succeeded: "the age of the data is known again" },
    () => performance.now(),
    () => ({ storeId: storeId() }),
  );
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  /** Never rejects. Only one look runs at a time. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      await withCallDeadline(callTimeoutMs, `Reading ${confirmedKey}`, read, stopped.signal);
      outage.succeeded();
    } catch (error) {
      if (!stopped.signal.aborted) note(asFailure(error));
    } finally {
      isLooking = false;
    }
  }

  async function read(signal: AbortSignal): Promise<void> {
    const found = await store.get(confirmedKey, { ifNoneMatch: known?.etag, signal });
    if (found.kind === "not_modified") return;
    if (found.kind === "missing") throw new Failure("not_found", `${confirmedKey} is missing.`);
    const confirmations = await readConfirmations(piecesOf(found));
    // A look that ran into its deadline must not overwrite the result of a later one.
    signal.throwIfAborted();
    known = { confirmations, etag: found.etag };
    onChange();
  }

  /** P26: the known times stay. A store without any build yet is no fault, so it is logged as `debug`. */
  function note(failure: Failure): void {
    outage.failed(failure, failure.code === "not_found" && known === undefined ? "debug" : "warn");
  }

  return {
    confirmedAt: (tenantId, snapshotId) => confirmedAtOf(known?.confirmations.get(tenantId), snapshotId),

    oldest: () => oldestConfirmed(known?.confirmations ?? new Map(), maxListed),

    start() {
      timer = setInterval(() => void look(), refreshMs);
      void look();
    },

    stop() {
      clearInterval(timer);
      stopped.abort();
    },
  };
}

/** Only so many tenants have a metric of their own, since labels must not grow without bound. */
export const maxListed = 100;

export interface ConfirmedTenant {
  readonly tenantId: TenantId;
  /** Since 1970. */
  readonly confirmedAtMs: number;
}

/**
 * The `count` tenants that were confirmed the longest ago, the oldest first, ties by id. Tenants count even if no partner
 * asked this gateway for them, since old data should be noticed before somebody asks for it. A tenant that was never
 * confirmed has no age and is left out.
 */
export function oldestConfirmed(confirmations: Confirmations, count: number): readonly ConfirmedTenant[] {
  const all: ConfirmedTenant[] = [];
  for (const [tenantId, { confirmedAt }] of confirmations) {
    if (confirmedAt !== null) all.push({ tenantId, confirmedAtMs: Date.parse(confirmedAt) });
  }
  all.sort((a, b) => a.confirmedAtMs - b.confirmedAtMs || (a.tenantId < b.tenantId ? -1 : 1));
  return all.slice(0, count);
}
