import {
  type Confirmation,
  type Confirmations,
  readConfirmations,
} from "../../../core/documents/confirmations.ts";
import { type LastRuns, noLastRuns, readLastRuns } from "../../../core/documents/last-runs.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { confirmedKey } from "../../../core/ground/object-key.ts";
import { piecesOf } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { LastRunOfAll, TenantLastRun } from "../../../schemas/generated/types.ts";
import { inShard } from "../../publish/snapshot/stored-tenants.ts";

/** What the last run made of a tenant, as `runs/last.json` has it. */
export interface LastRun extends Pick<TenantLastRun, "runId" | "failure" | "leftOut" | "leftOutCount"> {
  /** RFC 3339. */
  readonly finishedAt: string;
  /** The run report's outcome; `failed` when the run failed before its turn, `interrupted` if ended. */
  readonly outcome: string;
  /** `null` when that is not known of a run that failed as a whole. */
  readonly onInvalid: TenantLastRun["onInvalid"] | null;
  readonly problemCounts: Readonly<Record<string, number>>;
  /** P224: when a spot check found a difference; the first of a day. */
  readonly differedAt?: string | undefined;
  /** P227: when a run withdrew most programs, and how many; the last of a day. */
  readonly mostlyWithdrawn?: TenantLastRun["mostlyWithdrawn"] | undefined;
}

/** A run of all tenants, and the tenants that it names. */
interface KnownRun extends LastRunOfAll {
  readonly listed: ReadonlySet<string>;
}

interface KnownRuns extends Pick<LastRuns, "tenants"> {
  readonly runsOfAll: readonly KnownRun[];
}

/** What is recorded of a tenant's builds. */
export interface LastBuild {
  /** `null` when no build has written `runs/last.json` since there is such a document. */
  readonly lastRun: LastRun | null;
  /** The later of the last run and of the tenant's entry in `runs/confirmed.json`. */
  readonly lastTry: { readonly outcome: string; readonly triedAt: string } | null;
  /** The reading that was last published or found unchanged, and the snapshot that it confirms. */
  readonly confirmation: Confirmation | undefined;
  /** When the last run of all tenants found that the source does not list this one; `null` when it did. */
  readonly notInSource: string | null;
  /** P211: since when a build of it has been overdue; left out when none was lately. */
  readonly overdueSince?: string | undefined;
}

/** Two reads for all tenants. An unreadable document is named in `faults`, and tells nothing. */
export async function readLastBuilds(store: ObjectStore, signal: AbortSignal) {
  const [last, confirmed] = await Promise.all([
    orFault(noLastRuns, signal, async () => (await readLastRuns(store, signal)) ?? noLastRuns),
    orFault<Confirmations>(new Map(), signal, async () => {
      const found = await store.get(confirmedKey, { signal });
      return found.kind === "object" ? await readConfirmations(piecesOf(found)) : new Map();
    }),
  ]);
  const { tenants } = last.value;
  // Each of thousands of tenants is looked for in the lists of thousands.
  const runsOfAll = last.value.runsOfAll.map((run) => ({ ...run, listed: new Set<string>(run.tenants) }));
  const known = { runsOfAll, tenants };
  return {
    of(tenantId: TenantId): LastBuild {
      const lastRun = lastRunOf(tenantId, known);
      const tried = lastRun && { outcome: lastRun.outcome, triedAt: lastRun.finishedAt };
      const confirmation = confirmed.value.get(tenantId);
      const { outcome, triedAt } = confirmation ?? {};
      const isLater = outcome !== undefined && triedAt !== undefined && triedAt > (tried?.triedAt ?? "");
      const lastTry = isLater ? { outcome, triedAt } : tried;
      const notInSource = unlistedSince(tenantId, known);
      return {
        lastRun,
        lastTry,
        confirmation,
        notInSource,
        overdueSince: overdueSince(tenantId, known),
      };
    },
    /** The tenants that a run has named. */
    named: [...tenants.keys(), ...runsOfAll.flatMap((run) => run.tenants.filter(isTenantId))],
    faults: [...last.faults, ...confirmed.faults],
  };
}

/** A part of the facts, or why it could not be read in `faults`: it must not hide the other parts. */
export async function orFault<Value>(
  none: Value,
  signal: AbortSignal,
  read: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly faults: readonly string[] }> {
  try {
    return { value: await read(), faults: [] };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (signal.aborted || code === "internal" || code === "busy") throw error;
    return { value: none, faults: [message] };
  }
}

/** A run of all that ended before the tenant's turn is in no tenant's entry, and may be the last one. */
function lastRunOf(tenantId: TenantId, { runsOfAll, tenants }: KnownRuns): LastRun | null {
  const own = tenants.get(tenantId);
  const isLater = (run: LastRunOfAll): boolean =>
    run.runId !== own?.runId && run.endedAt >= (own?.endedAt ?? "");
  const ended = runsOfAll.find((run) => hasEndedEarly(run) && concerns(run, tenantId) && isLater(run));
  if (ended !== undefined) {
    const { runId, endedAt: finishedAt } = ended;
    const rest = { onInvalid: own?.onInvalid ?? null, leftOut: [], leftOutCount: 0, problemCounts: {} };
    const { differedAt, mostlyWithdrawn } = own ?? {};
    const kept = { differedAt, mostlyWithdrawn };
    return { runId, finishedAt, ...ending("failed", ended.failure), ...rest, ...kept };
  }
  if (own === undefined) return null;
  const { endedAt: finishedAt, outcome, failure, ...rest } = own;
  // Several rows of one id are one program.
  const leftOut = [...new Set(rest.leftOut)];
  const leftOutCount = rest.leftOutCount - (rest.leftOut.length - leftOut.length);
  return { ...rest, leftOut, leftOutCount, finishedAt, ...ending(outcome, failure) };
}

/** Nothing failed where somebody ended the run. */
function ending(outcome: string, failure: LastRun["failure"]): Pick<LastRun, "outcome" | "failure"> {
  const isUndone = outcome === "skipped" || outcome === "failed";
  const isEnded = failure === null || failure.code === "interrupted";
  return isUndone && isEnded ? { outcome: "interrupted", failure: null } : { outcome, failure };
}

function hasEndedEarly({ failure, outcome }: LastRunOfAll): boolean {
  return failure !== null || outcome === "interrupted";
}

/** A run that failed before it knew its tenants lists none. */
function concerns({ shard, listed }: KnownRun, tenantId: TenantId): boolean {
  if (listed.size > 0) return listed.has(tenantId);
  const [index = 1, count = 1] = shard?.split("/").map(Number) ?? [];
  return inShard(tenantId, { index, count });
}

/** Only runs of all tenants tell it, and shards only together. */
function unlistedSince(tenantId: TenantId, { runsOfAll, tenants }: KnownRuns): string | null {
  const [at] = runsOfAll.map(({ endedAt }) => endedAt).sort();
  const parts = Number(runsOfAll[0]?.shard?.split("/")[1] ?? 1);
  const isWhole = runsOfAll.length >= parts && !runsOfAll.some(hasEndedEarly);
  if (at === undefined || !isWhole || runsOfAll.some(({ listed }) => listed.has(tenantId))) return null;
  const own = tenants.get(tenantId);
  // A told build after that has found the tenant in the source.
  return own !== undefined && own.failure?.code !== "not_found" && own.endedAt > at ? null : at;
}

/** What the last runs of all found, unless the build has ended since. */
function overdueSince(tenantId: TenantId, { runsOfAll, tenants }: KnownRuns): string | undefined {
  const overdue = runsOfAll.flatMap((run) => run.overdue ?? []).find((each) => each.tenantId === tenantId);
  const endedAt = tenants.get(tenantId)?.endedAt ?? "";
  return overdue === undefined || endedAt > overdue.since ? undefined : overdue.since;
}
