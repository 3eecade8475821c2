import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { isSnapshotId, isTenantId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";

/**
 * What a tenant's run says about the age of its data (P23). A reading that published the snapshot or found it unchanged confirms
 * it; any other only says that the tenant was tried. `undefined` after a dry run, after an interruption (P52), and when another
 * builder's run says it (`elsewhere`).
 */
export function confirmationOf(run: TenantRun, endedAt: Date): readonly [TenantId, Confirmation] | undefined {
  const { tenantId, outcome, snapshotId, confirmedAt = null } = run;
  if (silent.has(outcome) || !isTenantId(tenantId)) return undefined;
  const tried = { triedAt: endedAt.toISOString(), outcome };
  const isConfirmed = confirmedAt !== null && snapshotId !== null && isSnapshotId(snapshotId);
  return [tenantId, isConfirmed ? { ...tried, snapshotId, confirmedAt } : { ...tried, ...unconfirmed }];
}

/**
 * P24: merges both, tenant by tenant: the later reading with its snapshot, and the later try with its outcome. Returns `stored`
 * itself when nothing changes.
 *
 * Builders race for the document, so the result must not depend on who writes first or twice. Each half is the greater of two by
 * one total order, hence the merge is commutative, associative and idempotent. The time of the *reading* counts: a builder that
 * read earlier and wrote later knows less. If it published what it read, the document names the snapshot of the later reading,
 * and the live one counts as unconfirmed until the next build, which is the truth.
 *
 * A time after `latest` comes from a wrong clock and loses to every other time, so that a builder with a wrong clock cannot
 * silence all others.
 */
export function mergedConfirmations(
  stored: Confirmations,
  runs: Confirmations,
  latest = new Date(8.64e15),
): Confirmations {
  let merged: Map<TenantId, Confirmation> | undefined;
  for (const [tenantId, run] of runs) {
    const known = stored.get(tenantId);
    const both = known === undefined ? run : mergedConfirmation(known, run, latest);
    if (both === known) continue;
    merged ??= new Map(stored);
    merged.set(tenantId, both);
  }
  return merged ?? stored;
}

function mergedConfirmation(known: Confirmation, run: Confirmation, latest: Date): Confirmation {
  const isConfirmedLater = isGreater(
    [run.confirmedAt, run.snapshotId],
    [known.confirmedAt, known.snapshotId],
    latest,
  );
  const isTriedLater = isGreater([run.triedAt, run.outcome], [known.triedAt, known.outcome], latest);
  if (!isConfirmedLater && !isTriedLater) return known;
  const { snapshotId, confirmedAt } = isConfirmedLater ? run : known;
  const { triedAt, outcome } = isTriedLater ? run : known;
  return { snapshotId, confirmedAt, triedAt, outcome };
}

/** A time, and what breaks a tie. */
type Dated = readonly [at: string | null, what: string | null];

function isGreater([at, what]: Dated, [otherAt, otherWhat]: Dated, latest: Date): boolean {
  const [rank, otherRank] = [rankOf(at, latest), rankOf(otherAt, latest)];
  if (rank !== otherRank) return rank > otherRank;
  // Several texts stand for one instant (`12:00:00Z`, `12:00:00.000Z`).
  if (at !== otherAt) return (at ?? "") > (otherAt ?? "");
  return (what ?? "") > (otherWhat ?? "");
}

/** Orders times: none, then times that cannot be right, then all others by their value. */
function rankOf(at: string | null, latest: Date): number {
  if (at === null) return Number.NEGATIVE_INFINITY;
  const ms = Date.parse(at);
  return ms > latest.getTime() ? -Number.MAX_VALUE : ms;
}

/** Without the tenants that are not among `known` and were last tried before `before`. */
export function withoutGone(stored: Confirmations, known: ReadonlySet<string>, before: Date): Confirmations {
  const isGone = ([tenantId, { triedAt }]: readonly [TenantId, Confirmation]): boolean =>
    !known.has(tenantId) && Date.parse(triedAt) < before.getTime();
  const kept = [...stored].filter((entry) => !isGone(entry));
  return kept.length === stored.size ? stored : new Map(kept);
}

const silent: ReadonlySet<TenantRun["outcome"]> = new Set(["elsewhere", "would-publish", "skipped"]);
const unconfirmed = { snapshotId: null, confirmedAt: null } as const;

/** From one snapshot to the next, where a build read only the programs that a notification named. */
export interface CarriedStep {
  readonly tenantId: TenantId;
  readonly from: SnapshotId;
  readonly to: SnapshotId;
}

/**
 * The step of a build of single programs. Such a build confirms nothing itself (P23). But its snapshot is the one before, with
 * these programs as the source has them now. So it takes over the confirmation, and answers keep saying how old the data is.
 */
export function carriedStep(run: TenantRun): CarriedStep | undefined {
  const { tenantId, outcome, confirmedAt = null, snapshotId, previousSnapshotId } = run;
  if (outcome !== "published" || confirmedAt !== null || !isTenantId(tenantId)) return undefined;
  if (snapshotId === null || previousSnapshotId === null) return undefined;
  if (!isSnapshotId(snapshotId) || !isSnapshotId(previousSnapshotId)) return undefined;
  return { tenantId, from: previousSnapshotId, to: snapshotId };
}

/** The confirmations after these steps, in their order; the same object when none of them counts. */
export function withCarried(confirmations: Confirmations, steps: readonly CarriedStep[]): Confirmations {
  let carried: Map<TenantId, Confirmation> | undefined;
  for (const { tenantId, from, to } of steps) {
    const known = (carried ?? confirmations).get(tenantId);
    if (known?.snapshotId !== from) continue;
    carried ??= new Map(confirmations);
    carried.set(tenantId, { ...known, snapshotId: to });
  }
  return carried ?? confirmations;
}
