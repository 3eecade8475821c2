import { type Confirmation, type Confirmations, readConfirmations } from "../../../core/confirmations.ts";
import { asFailure } from "../../../core/failure.ts";
import { isSnapshotId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import { piecesOf, readBody } from "../../../core/object-body.ts";
import { confirmedKey, runKey, runsPrefix } from "../../../core/object-key.ts";
import type { ListedObject, ObjectStore } from "../../../core/object-store.ts";
import { parseStoredDocument } from "../../../core/stored-document.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { isRunReport } from "../../../schemas/generated/validators-run-report.ts";
import { knownSandbox } from "../../publish/sandbox/sandbox-document.ts";
import { type Reading, readOr } from "./reading.ts";

export interface LastRun {
  readonly runId: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The tenant's own outcome; `failed` also when the run failed before the tenant's turn, `interrupted` when somebody ended it before that. */
  readonly outcome: TenantRun["outcome"] | "interrupted";
  readonly failure: RunReport["failure"];
  readonly onInvalid: RunReport["options"]["onInvalid"];
  /** `null` when the run failed as a whole. */
  readonly tenantRun: TenantRun | null;
}

export interface LastTry {
  readonly outcome: string;
  readonly triedAt: string;
}

export interface BuildRecord {
  readonly lastRun: LastRun | null;
  /** The later of the newest report and of `runs/confirmed.json`: `snapshot watch` stores no report of a run without news. */
  readonly lastTry: LastTry | null;
  /** The newest build that failed or was refused, while no later one has read the whole tenant and got through. */
  readonly unresolved: LastRun | null;
  /** The reading that was last published or found unchanged, and the snapshot that it confirms. */
  readonly confirmation: Confirmation | undefined;
  /** When the newest run of all tenants found that the source does not list this one; `null` while it does. */
  readonly notInSource: string | null;
  /** The usual time from one run of the tenant to the next; `null` when too few runs are known. */
  readonly usualIntervalMs: number | null;
}

/** The records of these tenants. Reads reports from the newest back, until all facts about each tenant are known. */
export async function readBuildRecords(
  store: ObjectStore,
  wanted: ReadonlySet<TenantId>,
  now: Date,
  signal: AbortSignal,
) {
  const [confirmed, usualIntervalMs] = await Promise.all([
    readConfirmed(store, signal),
    usualInterval(store, now, signal),
  ]);
  const confirmations = confirmed.value;
  const runs = await lookBack(store, wanted, confirmations, now, signal);
  return {
    of(tenantId: string): BuildRecord {
      const confirmation = confirmations.get(tenantId as TenantId);
      const lastRun = runs.lastRuns.get(tenantId) ?? null;
      return {
        lastRun,
        lastTry: lastTry(lastRun, confirmation),
        unresolved: runs.unresolved.get(tenantId) ?? null,
        confirmation,
        notInSource: runs.notInSource.get(tenantId) ?? null,
        // The times between reports say nothing about a tenant that is built apart from the others.
        usualIntervalMs: (runs.runsOfOthers.get(tenantId) ?? 0) >= minRunsOfOthers ? null : usualIntervalMs,
      };
    },
    /** Tenants that a report names. */
    named: [...runs.lastRuns.keys()],
    usualIntervalMs,
    faults: [...confirmed.faults, ...runs.faults],
  };
}

/** The bounds of one look back: the number of reports, and their bytes. */
const maxReports = 200;
const maxBytes = 64 * 1024 * 1024;
/**
 * A tenant counts as built apart when at least this many newer runs were about other tenants only. Fewer may be builds by hand.
 */
const minRunsOfOthers = 3;

async function lookBack(
  store: ObjectStore,
  wanted: ReadonlySet<TenantId>,
  confirmations: Confirmations,
  now: Date,
  signal: AbortSignal,
) {
  const lastRuns = new Map<string, LastRun>();
  const unresolved = new Map<string, LastRun>();
  const notInSource = new Map<string, string>();
  const faults: string[] = [];
  // P97: no run lists the sandbox.
  const sandbox = await knownSandbox(store, signal);
  /** By tenant: the number of newer runs that were about other tenants only. */
  const runsOfOthers = new Map<string, number>();
  const open = new Set<string>(wanted);
  const confirmedOf = (tenantId: string): string =>
    confirmations.get(tenantId as TenantId)?.confirmedAt ?? "";
  let reports = 0;
  let bytes = 0;
  for await (const { key, size } of newestReports(store, now, signal)) {
    reports += 1;
    bytes += size;
    if (reports > maxReports || bytes > maxBytes || open.size === 0) break;
    const report = await readReport(store, key, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      faults.push(asFailure(error).message);
      return undefined;
    });
    if (report === undefined) continue;
    for (const tenantId of concernedTenants(report, wanted)) {
      const isKnown = lastRuns.has(tenantId) || notInSource.has(tenantId);
      if (isKnown && !open.has(tenantId)) continue;
      const run = runOf(report, tenantId);
      if (!isKnown) lastRuns.set(tenantId, run);
      const isFailure = isFailed(run) && confirmedOf(tenantId) < run.startedAt;
      if (isFailure) unresolved.set(tenantId, run);
      if (isFailure || isWhole(run)) open.delete(tenantId);
    }
    for (const tenantId of unlistedTenants(report, open)) {
      if (!lastRuns.has(tenantId) && tenantId !== sandbox) notInSource.set(tenantId, report.finishedAt);
      open.delete(tenantId);
    }
    for (const tenantId of open) {
      if (!lastRuns.has(tenantId)) runsOfOthers.set(tenantId, (runsOfOthers.get(tenantId) ?? 0) + 1);
      else if (confirmedOf(tenantId) >= report.startedAt) open.delete(tenantId);
    }
  }
  return { lastRuns, unresolved, notInSource, runsOfOthers, faults };
}

function isFailed({ outcome, failure }: LastRun): boolean {
  return outcome === "failed" || outcome === "refused" || (outcome === "skipped" && failure !== null);
}

/**
 * Whether the run read the whole tenant, or was kept from that by a hold. A build of single programs confirms an earlier reading,
 * so its `confirmedAt` is before its start.
 */
function isWhole({ outcome, startedAt, tenantRun }: LastRun): boolean {
  if (outcome === "interrupted" || outcome === "skipped") return false;
  if (outcome === "held" || tenantRun?.confirmedAt === undefined) return true;
  return tenantRun.confirmedAt !== null && tenantRun.confirmedAt >= startedAt;
}

/** A run of all tenants names each that the source lists, also one that another run built at the same time. */
function unlistedTenants(
  { options, failure, outcome, tenants }: RunReport,
  open: ReadonlySet<string>,
): readonly string[] {
  if (options.tenants !== null || failure !== null || outcome === "interrupted") return [];
  const listed = new Set(tenants.map(({ tenantId }) => tenantId));
  return [...open].filter((tenantId) => !listed.has(tenantId));
}

/**
 * A run that failed before it knew its tenants concerns the tenants that it was asked for, or all. A tenant with the outcome
 * `elsewhere` is in the report of another run.
 */
function concernedTenants(report: RunReport, wanted: ReadonlySet<TenantId>): readonly string[] {
  const own = report.tenants.flatMap(({ tenantId, outcome }) => (outcome === "elsewhere" ? [] : tenantId));
  if (report.failure === null) return own;
  return [...own, ...(report.options.tenants ?? wanted)];
}

function runOf(report: RunReport, tenantId: string): LastRun {
  const { runId, startedAt, finishedAt } = report;
  const tenantRun = report.tenants.find((run) => run.tenantId === tenantId) ?? null;
  const { onInvalid } = report.options;
  return { runId, startedAt, finishedAt, ...ending(report, tenantRun), onInvalid, tenantRun };
}

function ending(report: RunReport, tenantRun: TenantRun | null): Pick<LastRun, "outcome" | "failure"> {
  const { outcome = "failed", failure = report.failure } = tenantRun ?? {};
  // P52: nothing failed where somebody ended the run. Reports of earlier versions call it a failure.
  const isEnded = report.outcome === "interrupted" && (outcome === "skipped" || outcome === "failed");
  if (isEnded && (failure === null || failure.code === "interrupted"))
    return { outcome: "interrupted", failure: null };
  // A failure that ended the run before the tenant's turn is the reason why the tenant was skipped.
  return { outcome, failure: outcome === "skipped" ? (failure ?? report.failure) : failure };
}

function lastTry(lastRun: LastRun | null, confirmation: Confirmation | undefined): LastTry | null {
  const reported = lastRun && { outcome: lastRun.outcome, triedAt: lastRun.finishedAt };
  if (confirmation === undefined) return reported;
  const { outcome, triedAt } = confirmation;
  const isLater = reported === null || Date.parse(triedAt) > Date.parse(reported.triedAt);
  return isLater ? { outcome, triedAt } : reported;
}

async function readConfirmed(store: ObjectStore, signal: AbortSignal): Promise<Reading<Confirmations>> {
  return await readOr(new Map(), signal, async () => {
    const found = await store.get(confirmedKey, { signal });
    return found.kind === "object" ? await readConfirmations(piecesOf(found)) : new Map();
  });
}

/**
 * The reports, newest first. Stores list in ascending order only, and the ids begin with the time. So the last hour is listed
 * first, then the rest of the last day, and so on. That keeps a look back short, however many years of reports there are.
 */
async function* newestReports(
  store: ObjectStore,
  now: Date,
  signal: AbortSignal,
): AsyncGenerator<ListedObject> {
  let end: string | undefined;
  for (const hours of lookBackHours) {
    const start = hours === undefined ? undefined : runKeyOfTime(new Date(now.getTime() - hours * 3_600_000));
    let found: ListedObject[] = [];
    for await (const object of store.list(runsPrefix, { after: start, signal })) {
      if (end !== undefined && object.key >= end) break;
      if (runIdOf(object.key) !== undefined) found.push(object);
      if (found.length > 2 * maxReports) found = found.slice(-maxReports);
    }
    yield* found.slice(-maxReports).reverse();
    end = start;
  }
}

const lookBackHours = [1, 24, 24 * 30, undefined] as const;

async function readReport(
  store: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<RunReport | undefined> {
  const id = runIdOf(key);
  if (id === undefined) return undefined;
  const found = await store.get(runKey(id), { signal });
  if (found.kind !== "object") return undefined;
  return parseStoredDocument(await readBody(found, maxBytes, key), isRunReport, key);
}

/**
 * The usual time from one run to the next. At least three quarters of the gaps between the newest reports are at most this long.
 * The gaps follow from the names of the reports, so no report is read. `null` when too few are known.
 */
async function usualInterval(store: ObjectStore, now: Date, signal: AbortSignal): Promise<number | null> {
  for (const hours of [24, 24 * 30]) {
    const after = runKeyOfTime(new Date(now.getTime() - hours * 3_600_000));
    const starts: number[] = [];
    for await (const { key } of store.list(runsPrefix, { after, signal })) {
      const id = runIdOf(key);
      if (id !== undefined) starts.push(startMsOf(id));
      if (starts.length > 2 * maxGaps) starts.splice(0, maxGaps);
    }
    const gaps = starts.slice(1).map((start, at) => start - (starts[at] ?? start));
    const sorted = gaps.slice(-maxGaps).sort((a, b) => a - b);
    if (gaps.length >= minGaps) return sorted[Math.ceil(sorted.length * 0.75) - 1] ?? 0;
  }
  return null;
}

const minGaps = 5;
const maxGaps = 50;

/** The id of the run whose report has this key; `undefined` when the key is no report's. */
function runIdOf(key: string): SnapshotId | undefined {
  const id = key.slice(runsPrefix.length).replace(/\.json$/, "");
  return isSnapshotId(id) && key === runKey(id) ? id : undefined;
}

/** Ids of runs begin with their time, as those of snapshots do. */
function startMsOf(id: SnapshotId): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Sorts right before the first report of that second: a report's key goes on with `-`. */
function runKeyOfTime(time: Date): string {
  return `${runsPrefix}${time.toISOString().replace(/[-:]|\.\d{3}/g, "")}`;
}
