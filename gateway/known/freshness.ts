import { type Confirmations, confirmedAtOf, readConfirmations } from "../../core/documents/confirmations.ts";
import { Failure } from "../../core/ground/failure.ts";
import type { TenantId } from "../../core/ground/ids.ts";
import { maxConfirmedBytes } from "../../core/ground/limits.ts";
import { confirmedKey } from "../../core/ground/object-key.ts";
import { piecesOf } from "../../core/store/object-body.ts";
import type { ETag } from "../../core/store/object-store.ts";
import { Confirmed, type StoreReading } from "./confirmed.ts";

/** When builds last found each snapshot up to date with the source. No request needs this (P25). */
export type Freshness = ReturnType<typeof createFreshness>;

export function createFreshness(options: StoreReading & { readonly onChange: () => void }) {
  const { store, refreshMs, onChange } = options;
  const record: Confirmed<ConfirmationRecord> = new Confirmed({
    ...options,
    what: confirmedKey,
    // P25: known times stay, however old the record gets.
    maxStaleMs: Number.POSITIVE_INFINITY,
    outageTexts: {
      failed: "the age of the data could not be read",
      succeeded: "the age of the data is known again",
    },
    // A store has no such record before its first build.
    isFault: ({ code }) => code !== "not_found" || record.value !== undefined,
    async read(_beganAtMs, signal) {
      const known = record.value;
      const found = await store.get(confirmedKey, {
        ifNoneMatch: known?.etag,
        signal,
        wholeUpTo: maxConfirmedBytes,
      });
      if (found.kind === "not_modified" && known !== undefined) return known;
      if (found.kind !== "object") throw new Failure("not_found", `${confirmedKey} is missing.`);
      return { confirmations: await readConfirmations(piecesOf(found)), etag: found.etag };
    },
  });
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    const before = record.value;
    await record.refresh();
    if (record.value !== before) onChange();
    isLooking = false;
  }

  return {
    /** `null` unless that very snapshot is known to be confirmed (P23). */
    confirmedAt: (tenantId: TenantId, snapshotId: string) =>
      confirmedAtOf(record.value?.confirmations.get(tenantId), snapshotId),

    /** The tenants that were confirmed the longest ago, the oldest first; at most `maxListed`. */
    oldest: () => oldestConfirmed(record.value?.confirmations ?? new Map(), maxListed),

    /** Reads `runs/confirmed.json` at once and then at intervals. No request waits for that. */
    start(): void {
      timer = setInterval(() => void look(), refreshMs);
      void look();
    },

    stop: () => clearInterval(timer),
  };
}

interface ConfirmationRecord {
  readonly confirmations: Confirmations;
  readonly etag: ETag;
}

/** Only so many tenants have a metric of their own, since labels must not grow without bound. */
export const maxListed = 100;

export interface ConfirmedTenant {
  readonly tenantId: TenantId;
  /** Since 1970. */
  readonly confirmedAtMs: number;
}

/** The oldest first, ties by id, also tenants without requests. A tenant never confirmed has no age. */
function oldestConfirmed(confirmations: Confirmations, count: number): readonly ConfirmedTenant[] {
  return [...confirmations]
    .flatMap(([tenantId, { confirmedAt }]) =>
      confirmedAt === null ? [] : [{ tenantId, confirmedAtMs: Date.parse(confirmedAt) }],
    )
    .sort((a, b) => a.confirmedAtMs - b.confirmedAtMs || (a.tenantId < b.tenantId ? -1 : 1))
    .slice(0, count);
}
