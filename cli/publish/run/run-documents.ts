import {
  type Confirmation,
  type Confirmations,
  confirmationsBytes,
  readConfirmations,
} from "../../../core/confirmations.ts";
import { isSnapshotId, isTenantId, type TenantId } from "../../../core/ids.ts";
import {
  isWithinDay,
  type LastRuns,
  lastRunsBytes,
  maxLeftOutIds,
  noLastRuns,
  parseLastRuns,
} from "../../../core/last-runs.ts";
import { confirmedKey, lastRunsKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { LastRunOfAll, RunReport, TenantLastRun, TenantRun } from "../../../schemas/generated/types.ts";
import { minShared } from "../guards/shared-guard.ts";
import { editDocument, type SharedDocument } from "../snapshot/shared-documents.ts";

/** P25. When it is damaged, the next builds fill it again, and gateways go on with what they know. */
const confirmedDocument: SharedDocument<Confirmations> = {
  key: confirmedKey,
  parse: ({ body }) => readConfirmations(body),
  empty: new Map(),
  bytes: confirmationsBytes,
  isReplaceable: true,
};

const lastRunsDocument: SharedDocument<LastRuns> = {
  key: lastRunsKey,
  parse: parseLastRuns,
  empty: noLastRuns,
  bytes: lastRunsBytes,
  isReplaceable: true,
};

/** S3 refuses requests when the clock is further off. */
const maxClockSkewMs = 15 * 60_000;

/** Adds what the runs say to `runs/confirmed.json` and `runs/last.json`. */
export async function addReports(
  store: ObjectStore,
  reports: readonly RunReport[],
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const latest = new Date(now.getTime() + maxClockSkewMs).toISOString();
  await editDocument(store, confirmedDocument, signal, (stored) =>
    reports.reduce((known, report) => withConfirmations(known, report, latest), stored),
  );
  await editDocument(store, lastRunsDocument, signal, (stored) =>
    reports.reduce((known, report) => withLastRuns(known, report, latest), stored),
  );
}

/** P91: drops what is said of a tenant that is gone for good. */
export async function forgetTenant(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  const without = <Entry>(entries: ReadonlyMap<TenantId, Entry>): ReadonlyMap<TenantId, Entry> =>
    new Map([...entries].filter(([id]) => id !== tenantId));
  await editDocument(store, confirmedDocument, signal, (stored) =>
    stored.has(tenantId) ? without(stored) : stored,
  );
  await editDocument(store, lastRunsDocument, signal, (stored) =>
    stored.tenants.has(tenantId) ? { ...stored, tenants: without(stored.tenants) } : stored,
  );
}

/**
 * P23: keeps each tenant's later *reading* with its snapshot, and its later try with its outcome, because a builder that read earlier
 * and wrote later knows less. `latest`: see `isLater`.
 */
export function withConfirmations(stored: Confirmations, report: RunReport, latest: string): Confirmations {
  const merged = withoutGone(stored, report, ({ triedAt }) => triedAt);
  for (const run of report.tenants) {
    const { tenantId } = run;
    // A dry run and an interrupted build say nothing.
    if (run.outcome === "would-publish" || run.outcome === "skipped" || !isTenantId(tenantId)) continue;
    const own = confirmationOf(run, report.finishedAt);
    const known = merged.get(tenantId) ?? own;
    const reading = isLater(own.confirmedAt, known.confirmedAt, latest) ? own : known;
    const trial = isLater(own.triedAt, known.triedAt, latest) ? own : known;
    const { snapshotId, confirmedAt } = reading;
    merged.set(tenantId, { snapshotId, confirmedAt, triedAt: trial.triedAt, outcome: trial.outcome });
  }
  return merged;
}

/** A reading that published the snapshot or found it unchanged confirms it; any other only says that the tenant was tried. */
function confirmationOf(
  { outcome, snapshotId, confirmedAt = null }: TenantRun,
  triedAt: string,
): Confirmation {
  const isConfirmed = confirmedAt !== null && snapshotId !== null && isSnapshotId(snapshotId);
  return { ...(isConfirmed ? { snapshotId, confirmedAt } : unconfirmed), triedAt, outcome };
}

const unconfirmed = { snapshotId: null, confirmedAt: null };

/** The later run of each tenant and of each shard stays. A run of all replaces those of shards, and they replace a run of all. */
function withLastRuns(stored: LastRuns, report: RunReport, latest: string): LastRuns {
  const tenants = withoutGone(stored.tenants, report, ({ endedAt }) => endedAt);
  for (const run of report.tenants) {
    const { tenantId } = run;
    if (run.outcome === "skipped" || !isTenantId(tenantId)) continue;
    const known = tenants.get(tenantId);
    if (isLater(report.finishedAt, known?.endedAt ?? null, latest)) {
      tenants.set(tenantId, lastRunOf(run, report, known));
    }
  }
  return { runsOfAll: withRunOfAll(stored.runsOfAll, report, latest), tenants };
}

function lastRunOf(run: TenantRun, report: RunReport, before: TenantLastRun | undefined): TenantLastRun {
  const { outcome, failure, leftOut = [], leftOutOmitted = 0, counts } = run;
  const { programs_shared: shared } = before?.problemCounts ?? {};
  // P144: a build looks at the programs that it adds only. What it found counts until as many have changed as make a finding.
  const mayBeOver = outcome === "published" && counts.removed + counts.changed >= minShared;
  const earlier = shared === undefined || mayBeOver ? {} : { programs_shared: shared };
  // P224: the time of the difference for which the tenant was read in full. It is known for a day.
  const isDifferent = run.problemCounts.snapshot_differs !== undefined;
  const isKnown = isWithinDay(before?.differedAt, new Date(report.finishedAt));
  const differedAt = isKnown ? before?.differedAt : isDifferent ? report.finishedAt : undefined;
  return {
    ...{ runId: report.runId, endedAt: report.finishedAt, outcome, failure },
    ...(differedAt === undefined ? {} : { differedAt }),
    onInvalid: report.options.onInvalid,
    leftOut: leftOut.slice(0, maxLeftOutIds),
    leftOutCount: leftOut.length + leftOutOmitted,
    problemCounts: { ...earlier, ...run.problemCounts },
  };
}

function withRunOfAll(
  stored: readonly LastRunOfAll[],
  report: RunReport,
  latest: string,
): readonly LastRunOfAll[] {
  const { runId, startedAt, finishedAt: endedAt, outcome, failure, options } = report;
  const { shard = null } = options;
  const same = stored.find((run) => run.shard === shard);
  if (options.tenants !== null || !isLater(endedAt, same?.endedAt ?? null, latest)) return stored;
  /** The number of parts: `3` of `2/3`. */
  const parts = (name: string | null): string => name?.split("/")[1] ?? "";
  const beside = stored.filter((run) => run.shard !== shard && parts(run.shard) === parts(shard));
  const tenants = report.tenants.map(({ tenantId }) => tenantId);
  return [...beside, { shard, runId, startedAt, endedAt, outcome, failure, tenants }].sort((a, b) =>
    (a.shard ?? "") < (b.shard ?? "") ? -1 : 1,
  );
}

/** A known time after `latest` comes from a wrong clock and loses, so that such a clock cannot silence all others. */
function isLater(at: string | null, known: string | null, latest: string): boolean {
  if (at === null || known === null) return at !== null;
  return Date.parse(known) > Date.parse(latest) || Date.parse(at) > Date.parse(known);
}

/** Without the tenants that neither source nor store had at the time of a run of all, unless they were tried since. */
function withoutGone<Entry>(
  stored: ReadonlyMap<TenantId, Entry>,
  report: RunReport,
  triedAt: (entry: Entry) => string,
): Map<TenantId, Entry> {
  const { options, failure, outcome, tenants, problems } = report;
  const isOfAll = options.tenants === null && (options.shard ?? null) === null;
  const isWhole =
    failure === null &&
    outcome !== "interrupted" &&
    !problems.some(({ code }) => code === "tenants_unreadable");
  if (!isOfAll || !isWhole) return new Map(stored);
  const vanished = problems.flatMap(({ code, value }) => (code === "tenant_vanished" ? [value] : []));
  const known = new Set<string | null>([...tenants.map(({ tenantId }) => tenantId), ...vanished]);
  const startedAt = Date.parse(report.startedAt);
  return new Map(
    [...stored].filter(([id, entry]) => known.has(id) || Date.parse(triedAt(entry)) >= startedAt),
  );
}
