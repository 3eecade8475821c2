import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { isSnapshotId, isTenantId, type TenantId } from "../../../core/ids.ts";
import { type LastRuns, maxLeftOutIds } from "../../../core/last-runs.ts";
import type { LastRunOfAll, RunReport, TenantLastRun, TenantRun } from "../../../schemas/generated/types.ts";

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

/**
 * Merges what a run says into `runs/last.json`: of each tenant, and of each shard, the later run stays. A run of all replaces those of
 * shards, and those replace one of all. Returns `stored` itself when nothing changes. `latest`: see `mergedConfirmations`.
 */
export function mergedLastRuns(stored: LastRuns, report: RunReport, latest: Date): LastRuns {
  const newer = report.tenants
    .flatMap((run) => lastRunOf(run, report))
    .map(([id, run]) => [id, withSharedBefore(run, stored.tenants.get(id), report)] as const)
    .filter(([id, { endedAt }]) => isLater(endedAt, stored.tenants.get(id)?.endedAt ?? null, latest));
  const runsOfAll = withRunOfAll(stored.runsOfAll, report, latest);
  if (newer.length === 0 && runsOfAll === stored.runsOfAll) return stored;
  return { runsOfAll, tenants: new Map([...stored.tenants, ...newer]) };
}

/** The tenant's entry; none when it was not tried. */
function lastRunOf(run: TenantRun, report: RunReport): readonly (readonly [TenantId, TenantLastRun])[] {
  const { tenantId, outcome, failure, leftOut = [], leftOutOmitted = 0, problemCounts } = run;
  if (!isTenantId(tenantId) || outcome === "skipped") return [];
  const { runId, finishedAt: endedAt, options } = report;
  const entry = {
    ...{ runId, endedAt, outcome, failure, onInvalid: options.onInvalid },
    leftOut: leftOut.slice(0, maxLeftOutIds),
    leftOutCount: leftOut.length + leftOutOmitted,
    problemCounts,
  };
  return [[tenantId, entry]];
}

/** P145: only a run of all asks whether two tenants still have the same programs. Any other leaves the finding as it was. */
function withSharedBefore(
  run: TenantLastRun,
  before: TenantLastRun | undefined,
  { options }: RunReport,
): TenantLastRun {
  const { programs_shared: shared } = before?.problemCounts ?? {};
  if (options.tenants === null || shared === undefined) return run;
  return { ...run, problemCounts: { programs_shared: shared, ...run.problemCounts } };
}

function withRunOfAll(
  stored: readonly LastRunOfAll[],
  report: RunReport,
  latest: Date,
): readonly LastRunOfAll[] {
  const { runId, startedAt, finishedAt: endedAt, outcome, failure, options } = report;
  const { shard = null } = options;
  const same = stored.find((run) => run.shard === shard);
  if (options.tenants !== null || !isLater(endedAt, same?.endedAt ?? null, latest)) return stored;
  const tenants = report.tenants.map(({ tenantId }) => tenantId);
  const beside = stored.filter((run) => run.shard !== shard && partCount(run.shard) === partCount(shard));
  return [...beside, { ...{ shard, runId, startedAt, endedAt, outcome, failure }, tenants }].sort((a, b) =>
    (a.shard ?? "") < (b.shard ?? "") ? -1 : 1,
  );
}

/** The number of parts in the name of a shard: `3` of `2/3`. */
function partCount(shard: string | null): string {
  return shard?.split("/")[1] ?? "";
}

/** Whether `at` is later than `other`. */
function isLater(at: string | null, other: string | null, latest: Date): boolean {
  return msOf(at, latest) > msOf(other, latest);
}

function msOf(at: string | null, latest: Date): number {
  if (at === null) return Number.NEGATIVE_INFINITY;
  const ms = Date.parse(at);
  return ms > latest.getTime() ? -Number.MAX_VALUE : ms;
}

/**
 * Without the tenants that neither source nor store had at the time of this run of all, unless they were tried since. Returns
 * `stored` itself when nothing changes.
 */
export function withoutGone<Entry>(
  stored: ReadonlyMap<TenantId, Entry>,
  report: RunReport,
  triedAt: (entry: Entry) => string,
): ReadonlyMap<TenantId, Entry> {
  const known = knownTenants(report);
  if (known === undefined) return stored;
  const startedAtMs = Date.parse(report.startedAt);
  return kept(stored, (id, entry) => known.has(id) || Date.parse(triedAt(entry)) >= startedAtMs);
}

/** The entries to keep; `stored` itself when that is all of them. */
export function kept<Entry>(
  stored: ReadonlyMap<TenantId, Entry>,
  isToStay: (tenantId: TenantId, entry: Entry) => boolean,
): ReadonlyMap<TenantId, Entry> {
  const staying = [...stored].filter(([tenantId, entry]) => isToStay(tenantId, entry));
  return staying.length === stored.size ? stored : new Map(staying);
}

/** The tenants that source or store have; `undefined` when the run did not look at all of them. */
function knownTenants(report: RunReport): ReadonlySet<string> | undefined {
  const { options, failure, outcome, tenants, problems } = report;
  if (options.tenants !== null || (options.shard ?? null) !== null) return undefined;
  if (failure !== null || outcome === "interrupted") return undefined;
  if (problems.some(({ code }) => code === "tenants_unreadable")) return undefined;
  const vanished = problems.flatMap(({ code, value }) => (code === "tenant_vanished" ? (value ?? []) : []));
  return new Set([...tenants.map(({ tenantId }) => tenantId), ...vanished]);
}
