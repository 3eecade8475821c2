import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { isSnapshotId, isTenantId, type TenantId } from "../../../core/ids.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";

/**
 * What a tenant's run says about the age of its data (P23). A reading that published the snapshot or found it unchanged confirms
 * it; any other only says that the tenant was tried. `undefined` after a dry run and after an interruption (P52).
 */
export function confirmationOf(run: TenantRun, endedAt: Date): readonly [TenantId, Confirmation] | undefined {
  const { tenantId, outcome, snapshotId, confirmedAt = null } = run;
  if (outcome === "would-publish" || outcome === "skipped" || !isTenantId(tenantId)) return undefined;
  const tried = { triedAt: endedAt.toISOString(), outcome };
  const isConfirmed = confirmedAt !== null && snapshotId !== null && isSnapshotId(snapshotId);
  return [tenantId, { ...tried, ...(isConfirmed ? { snapshotId, confirmedAt } : unconfirmed) }];
}

const unconfirmed = { snapshotId: null, confirmedAt: null };

/**
 * P24: merges both, tenant by tenant: the later reading with its snapshot, and the later try with its outcome. Returns `stored`
 * itself when nothing changes. The time of the *reading* counts, since a builder that read earlier and wrote later knows less. A
 * time after `latest` comes from a wrong clock and loses to every other time, so that such a clock cannot silence all others.
 */
export function mergedConfirmations(
  stored: Confirmations,
  runs: Confirmations,
  latest = new Date(8.64e15),
): Confirmations {
  const changed = [...runs].flatMap(([tenantId, run]): (readonly [TenantId, Confirmation])[] => {
    const known = stored.get(tenantId);
    if (known === undefined) return [[tenantId, run]];
    const isConfirmedLater = isLater(run.confirmedAt, known.confirmedAt, latest);
    const isTriedLater = isLater(run.triedAt, known.triedAt, latest);
    if (!isConfirmedLater && !isTriedLater) return [];
    const { snapshotId, confirmedAt } = isConfirmedLater ? run : known;
    const { triedAt, outcome } = isTriedLater ? run : known;
    return [[tenantId, { snapshotId, confirmedAt, triedAt, outcome }]];
  });
  return changed.length === 0 ? stored : new Map([...stored, ...changed]);
}

/** Whether `at` is later than `other`. */
export function isLater(at: string | null, other: string | null, latest: Date): boolean {
  return msOf(at, latest) > msOf(other, latest);
}

function msOf(at: string | null, latest: Date): number {
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

/** The tenants that source or store have; `undefined` when the run did not look at all of them. */
export function knownTenants(report: RunReport): ReadonlySet<string> | undefined {
  const { options, failure, outcome, tenants, problems } = report;
  if (options.tenants !== null || (options.shard ?? null) !== null || options.dryRun) return undefined;
  if (failure !== null || outcome === "interrupted") return undefined;
  if (problems.some(({ code }) => code === "tenants_unreadable")) return undefined;
  const vanished = problems.flatMap(({ code, value }) => (code === "tenant_vanished" ? (value ?? []) : []));
  return new Set([...tenants.map(({ tenantId }) => tenantId), ...vanished]);
}
