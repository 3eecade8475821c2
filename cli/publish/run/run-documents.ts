import {
  type Confirmation,
  type Confirmations,
  confirmationsBytes,
  readConfirmations,
} from "../../../core/documents/confirmations.ts";
import {
  isWithinDay,
  type LastRuns,
  lastRunsBytes,
  noLastRuns,
  parseLastRuns,
} from "../../../core/documents/last-runs.ts";
import { isSnapshotId, isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { maxConfirmedBytes, maxLastRunsBytes, maxLeftOutIds } from "../../../core/ground/limits.ts";
import { confirmedKey, lastRunsKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { LastRunOfAll, RunReport, TenantLastRun, TenantRun } from "../../../schemas/generated/types.ts";
import { minPrograms } from "../guards/guards.ts";
import { editDocument, type SharedDocument } from "../snapshot/edit-document.ts";

/** What runs have found and the documents do not say yet. It grows with the tenants, not with the runs. */
export interface Noted {
  readonly tenants: Map<TenantId, NotedTenant>;
  runsOfAll: readonly LastRunOfAll[];
  /** The last run of all that got through: whom it did not know is gone. */
  whole: WholeRun | undefined;
}

interface NotedTenant {
  readonly confirmation: Confirmation;
  readonly last: TenantLastRun;
  /** P144: whether programs of another tenant that were found before still count. */
  readonly keepsShared: boolean;
}

interface WholeRun {
  readonly startedAt: string;
  readonly known: ReadonlySet<string | null>;
}

/** The run in which a tenant was built. `endedAt`: when the build ended. */
export type RunOfTenant = Pick<TenantLastRun, "runId" | "endedAt" | "onInvalid">;

/** P25. When it is damaged, the next builds fill it again, and gateways go on with what they know. */
const confirmedDocument: SharedDocument<Confirmations> = {
  key: confirmedKey,
  parse: ({ body }) => readConfirmations(body),
  empty: new Map(),
  bytes: confirmationsBytes,
  maxBytes: maxConfirmedBytes,
  isReplaceable: true,
};

const lastRunsDocument: SharedDocument<LastRuns> = {
  key: lastRunsKey,
  parse: parseLastRuns,
  empty: noLastRuns,
  bytes: lastRunsBytes,
  maxBytes: maxLastRunsBytes,
  isReplaceable: true,
};

/** S3 refuses requests when the clock is further off. */
const maxClockSkewMs = 15 * 60_000;

/** A time after this is of a wrong clock, see `isLater`. */
export function latestTime(now: Date): string {
  return new Date(now.getTime() + maxClockSkewMs).toISOString();
}

export function nothingNoted(): Noted {
  return { tenants: new Map(), runsOfAll: [], whole: undefined };
}

/** Notes a run that has ended; its tenants are noted as they end. */
export function noteRun(noted: Noted, report: RunReport, latest: string): void {
  noted.whole = wholeRun(report) ?? noted.whole;
  for (const [tenantId, { confirmation }] of noted.tenants) {
    if (isGone(tenantId, confirmation.triedAt, noted.whole)) noted.tenants.delete(tenantId);
  }
  const run = runOfAll(report);
  if (run !== undefined) noted.runsOfAll = withRunOfAll(noted.runsOfAll, run, latest);
}

/** Notes a tenant whose build has ended, whether its run has or not. */
export function noteTenant(noted: Noted, run: TenantRun, of: RunOfTenant, latest: string): void {
  const { tenantId, outcome, counts, problemCounts } = run;
  // A dry run and an interrupted build say nothing.
  if (outcome === "would-publish" || outcome === "skipped" || !isTenantId(tenantId)) return;
  const before = noted.tenants.get(tenantId);
  const confirmation = laterConfirmation(before?.confirmation, confirmationOf(run, of.endedAt), latest);
  if (before !== undefined && !isNewer(of, before.last, latest)) {
    noted.tenants.set(tenantId, { ...before, confirmation });
    return;
  }
  // P144: a build looks only at programs that it adds. What it found counts until enough for a finding have
  // changed.
  const isKept = outcome !== "published" || counts.removed + counts.changed < minPrograms;
  const own = problemCounts.snapshot_differs === undefined ? {} : { differedAt: of.endedAt };
  const last = {
    ...{ ...of, outcome, failure: run.failure },
    ...own,
    ...ofTheDay(before?.last, of.endedAt),
    ...(run.mostlyWithdrawn && { mostlyWithdrawn: { at: of.endedAt, ...run.mostlyWithdrawn } }),
    leftOut: (run.leftOut ?? []).slice(0, maxLeftOutIds),
    leftOutCount: (run.leftOut?.length ?? 0) + (run.leftOutOmitted ?? 0),
    problemCounts: { ...(isKept ? sharedCount(before?.last) : {}), ...problemCounts },
  };
  noted.tenants.set(tenantId, { confirmation, last, keepsShared: isKept && before?.keepsShared !== false });
}

/** What has been noted by now; later notes leave it as it is. */
export function copyOf({ tenants, runsOfAll, whole }: Noted): Noted {
  return { tenants: new Map(tenants), runsOfAll, whole };
}

/** Takes out what was written, unless it has changed since. */
export function forgetWritten(noted: Noted, written: Noted): void {
  for (const [tenantId, entry] of written.tenants) {
    if (noted.tenants.get(tenantId) === entry) noted.tenants.delete(tenantId);
  }
  if (noted.runsOfAll === written.runsOfAll) noted.runsOfAll = [];
  if (noted.whole === written.whole) noted.whole = undefined;
}

/** Adds to `runs/confirmed.json` what was noted. */
export async function writeConfirmations(
  store: ObjectStore,
  noted: Noted,
  latest: string,
  signal: AbortSignal,
): Promise<void> {
  if (noted.tenants.size === 0 && noted.whole === undefined) return;
  await editDocument(store, confirmedDocument, signal, (stored) => withConfirmations(stored, noted, latest));
}

/** Adds to `runs/last.json` what was noted. */
export async function writeLastRuns(
  store: ObjectStore,
  noted: Noted,
  latest: string,
  signal: AbortSignal,
): Promise<void> {
  if (noted.tenants.size === 0 && noted.runsOfAll.length === 0) return;
  await editDocument(store, lastRunsDocument, signal, (stored) => withLastRuns(stored, noted, latest));
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
 * P23: keeps each tenant's later *reading* with its snapshot, and its later try with its outcome, because a
 * builder that read earlier and wrote later knows less. `latest`: see `isLater`.
 */
export function withConfirmations(stored: Confirmations, noted: Noted, latest: string): Confirmations {
  const merged = withoutGone(stored, noted.whole, ({ triedAt }) => triedAt);
  for (const [tenantId, { confirmation }] of noted.tenants) {
    merged.set(tenantId, laterConfirmation(merged.get(tenantId), confirmation, latest));
  }
  return merged;
}

function laterConfirmation(known: Confirmation | undefined, own: Confirmation, latest: string): Confirmation {
  if (known === undefined) return own;
  const reading = isLater(own.confirmedAt, known.confirmedAt, latest) ? own : known;
  const trial = isLater(own.triedAt, known.triedAt, latest) ? own : known;
  const { snapshotId, confirmedAt } = reading;
  return { snapshotId, confirmedAt, triedAt: trial.triedAt, outcome: trial.outcome };
}

/** A reading that published the snapshot or found it unchanged confirms it; any other was only a try. */
function confirmationOf(
  { outcome, snapshotId, confirmedAt = null }: TenantRun,
  triedAt: string,
): Confirmation {
  const isConfirmed = confirmedAt !== null && snapshotId !== null && isSnapshotId(snapshotId);
  return { ...(isConfirmed ? { snapshotId, confirmedAt } : unconfirmed), triedAt, outcome };
}

const unconfirmed = { snapshotId: null, confirmedAt: null };

/** The latest run of each tenant and shard stays. A run of all replaces those of shards, and the reverse. */
function withLastRuns(stored: LastRuns, noted: Noted, latest: string): LastRuns {
  const tenants = withoutGone(stored.tenants, noted.whole, ({ endedAt }) => endedAt);
  for (const [tenantId, { last, keepsShared }] of noted.tenants) {
    const known = tenants.get(tenantId);
    if (known !== undefined && !isNewer(last, known, latest)) continue;
    const earlier = keepsShared ? sharedCount(known) : {};
    const problemCounts = { ...earlier, ...last.problemCounts };
    const { mostlyWithdrawn } = last;
    const lately = { ...ofTheDay(known, last.endedAt), ...(mostlyWithdrawn && { mostlyWithdrawn }) };
    tenants.set(tenantId, { ...last, ...lately, problemCounts });
  }
  const runsOfAll = noted.runsOfAll.reduce((runs, run) => withRunOfAll(runs, run, latest), stored.runsOfAll);
  return { runsOfAll, tenants };
}

/** P224, P227: what is told of a tenant for a day: the first difference, and the last mass withdrawal. */
function ofTheDay(run: TenantLastRun | undefined, at: string) {
  const { differedAt, mostlyWithdrawn } = run ?? {};
  const now = new Date(at);
  return {
    ...(differedAt !== undefined && isWithinDay(differedAt, now) && { differedAt }),
    ...(mostlyWithdrawn !== undefined && isWithinDay(mostlyWithdrawn.at, now) && { mostlyWithdrawn }),
  };
}

function sharedCount(run: TenantLastRun | undefined): TenantLastRun["problemCounts"] {
  const { programs_shared: shared } = run?.problemCounts ?? {};
  return shared === undefined ? {} : { programs_shared: shared };
}

function runOfAll(report: RunReport): LastRunOfAll | undefined {
  const { runId, startedAt, finishedAt: endedAt, outcome, failure, options } = report;
  if (options.tenants !== null) return undefined;
  const overdue = (report.underWay ?? []).flatMap(({ tenantId, since, isOverdue }) =>
    isOverdue ? [{ tenantId, since }] : [],
  );
  const run = { shard: options.shard ?? null, runId, startedAt, endedAt, outcome, failure };
  return { ...run, tenants: tenantsOf(report), ...(overdue.length > 0 && { overdue }) };
}

function withRunOfAll(
  stored: readonly LastRunOfAll[],
  run: LastRunOfAll,
  latest: string,
): readonly LastRunOfAll[] {
  const same = stored.find(({ shard }) => shard === run.shard);
  if (!isLater(run.endedAt, same?.endedAt ?? null, latest)) return stored;
  /** The number of parts: `3` of `2/3`. */
  const parts = (name: string | null): string => name?.split("/")[1] ?? "";
  const beside = stored.filter(({ shard }) => shard !== run.shard && parts(shard) === parts(run.shard));
  return [...beside, run].sort((a, b) => ((a.shard ?? "") < (b.shard ?? "") ? -1 : 1));
}

/** Whether a run says more than the known one: it is later, or is the same and found more after its build. */
function isNewer(run: RunOfTenant, known: RunOfTenant, latest: string): boolean {
  return run.runId === known.runId || isLater(run.endedAt, known.endedAt, latest);
}

/** A known time after `latest` is of a wrong clock and loses, so that such a clock cannot silence others. */
function isLater(at: string | null, known: string | null, latest: string): boolean {
  if (at === null || known === null) return at !== null;
  return Date.parse(known) > Date.parse(latest) || Date.parse(at) > Date.parse(known);
}

/** P211: a tenant whose build is still under way is known, too. */
function tenantsOf({ tenants, underWay = [] }: RunReport): string[] {
  return [...tenants, ...underWay].map(({ tenantId }) => tenantId).sort();
}

/** The run of all tenants, if it is one and knew all that there are. */
function wholeRun(report: RunReport): WholeRun | undefined {
  const { startedAt, options, failure, outcome, problems } = report;
  const isOfAll = options.tenants === null && (options.shard ?? null) === null;
  const isWhole =
    failure === null &&
    outcome !== "interrupted" &&
    !problems.some(({ code }) => code === "tenants_unreadable");
  if (!isOfAll || !isWhole) return undefined;
  const vanished = problems.flatMap(({ code, value }) => (code === "tenant_vanished" ? [value] : []));
  return { startedAt, known: new Set([...tenantsOf(report), ...vanished]) };
}

/** Without the tenants that are gone: one copy, in which the caller may change entries. */
function withoutGone<Entry>(
  stored: ReadonlyMap<TenantId, Entry>,
  whole: WholeRun | undefined,
  triedAt: (entry: Entry) => string,
): Map<TenantId, Entry> {
  return new Map([...stored].filter(([id, entry]) => !isGone(id, triedAt(entry), whole)));
}

/** Whether a run of all found the tenant in neither source nor store, and nobody has tried it since. */
function isGone(tenantId: TenantId, triedAt: string, whole: WholeRun | undefined): boolean {
  if (whole === undefined || whole.known.has(tenantId)) return false;
  return Date.parse(triedAt) < Date.parse(whole.startedAt);
}
