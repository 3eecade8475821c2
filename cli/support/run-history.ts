import { asFailure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { readBody } from "../../core/object-body.ts";
import { runKey, runsPrefix } from "../../core/object-key.ts";
import type { ListedObject, ObjectStore } from "../../core/object-store.ts";
import { parseStoredDocument } from "../../core/stored-document.ts";
import type { RunReport, TenantRun } from "../../schemas/generated/types.ts";
import { isRunReport } from "../../schemas/generated/validators-run-report.ts";
import { runIdOf, runKeyOfTime } from "./run-keys.ts";

/** What the last run that concerned a tenant did for it. */
export interface LastRun {
  readonly runId: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /**
   * The tenant's own outcome; `failed` also when the run as a whole failed before the tenant's turn, and `interrupted` when
   * somebody ended the run before it was done with the tenant.
   */
  readonly outcome: TenantRun["outcome"] | "interrupted";
  readonly failure: RunReport["failure"];
  readonly onInvalid: RunReport["options"]["onInvalid"];
  /** `null` when the run failed as a whole. */
  readonly tenantRun: TenantRun | null;
}

export interface RunHistory {
  readonly lastRuns: ReadonlyMap<string, LastRun>;
  /** Tenants that the source does not list (any more), with when the newest run of all tenants found that. */
  readonly notInSource: ReadonlyMap<string, string>;
  /**
   * Tenants that newer runs again and again were not about: they are built apart from others, and how often those are says
   * nothing of them.
   */
  readonly builtApart: ReadonlySet<string>;
  /** Reports that could not be read, in words. */
  readonly faults: readonly string[];
}

/** Bounds of one look back: as many reports, and as many bytes of them. */
const maxReports = 200;
const maxBytes = 64 * 1024 * 1024;
/** Somebody may build one tenant now and then beside the runs of all. */
const minPassed = 3;

/**
 * The last run of each tenant that a report names, from the newest reports back until it is known of all `wanted`
 * tenants. A tenant whose last run lies beyond the bounds has none.
 */
export async function runHistory(
  store: ObjectStore,
  wanted: ReadonlySet<TenantId>,
  now: Date,
  signal: AbortSignal,
): Promise<RunHistory> {
  const lastRuns = new Map<string, LastRun>();
  const notInSource = new Map<string, string>();
  const faults: string[] = [];
  const passed = new Map<string, number>();
  const open = new Set<string>(wanted);
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
      if (!lastRuns.has(tenantId) && !notInSource.has(tenantId))
        lastRuns.set(tenantId, lastRun(report, tenantId));
      open.delete(tenantId);
    }
    for (const tenantId of unlistedTenants(report, open)) {
      notInSource.set(tenantId, report.finishedAt);
      open.delete(tenantId);
    }
    for (const tenantId of open) passed.set(tenantId, (passed.get(tenantId) ?? 0) + 1);
  }
  const builtApart = [...passed].flatMap(([tenantId, runs]) => (runs >= minPassed ? tenantId : []));
  return { lastRuns, notInSource, builtApart: new Set(builtApart), faults };
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

/** A run that failed before it knew its tenants concerns those it was asked for, or all. Of `elsewhere` another tells. */
function concernedTenants(report: RunReport, wanted: ReadonlySet<TenantId>): readonly string[] {
  const own = report.tenants.flatMap(({ tenantId, outcome }) => (outcome === "elsewhere" ? [] : tenantId));
  if (report.failure === null) return own;
  return [...own, ...(report.options.tenants ?? wanted)];
}

function lastRun(report: RunReport, tenantId: string): LastRun {
  const { runId, startedAt, finishedAt } = report;
  const tenantRun = report.tenants.find((run) => run.tenantId === tenantId) ?? null;
  return {
    runId,
    startedAt,
    finishedAt,
    ...ending(report, tenantRun),
    onInvalid: report.options.onInvalid,
    tenantRun,
  };
}

function ending(report: RunReport, tenantRun: TenantRun | null): Pick<LastRun, "outcome" | "failure"> {
  const { outcome = "failed", failure = report.failure } = tenantRun ?? {};
  // P52: nothing failed where somebody ended the run. Reports of earlier versions call it a failure.
  const isEnded = report.outcome === "interrupted" && (outcome === "skipped" || outcome === "failed");
  if (isEnded && (failure === null || failure.code === "interrupted"))
    return { outcome: "interrupted", failure: null };
  // What ended the run before the tenant's turn is why nothing was done for it.
  return { outcome, failure: outcome === "skipped" ? (failure ?? report.failure) : failure };
}

/** P19: programs with an error that the last run left out while it published the others. */
export function leftOut(lastRun: LastRun | null): number {
  if (lastRun === null || lastRun.failure !== null) return 0;
  return lastRun.tenantRun?.counts.invalid ?? 0;
}

/**
 * The reports, newest first. Stores list in ascending order only, and the ids begin with the time: looking at the last
 * hour, then at the time before it, and so on, keeps a look back short however many years of reports there are.
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
  return parseStoredDocument(await readBody(found.body, maxBytes, key), isRunReport, key);
}
