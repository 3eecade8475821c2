import { plainTime, type Reader } from "../../output/times.ts";
import type { LastRun, LastTry } from "../facts/runs.ts";
import type { Hold, TenantFacts } from "../facts/tenants.ts";

/** P47: the state of a tenant's builds: whether they come, and whether they may publish. */
export interface BuildState {
  readonly builds: Builds;
  readonly keeper: Keeper;
}

/** Whether builds come. `at`: when the last one ended, RFC 3339. */
export type Builds =
  | { readonly kind: "unseen" }
  /** The last one got as far as the rules let it. */
  | { readonly kind: "running"; readonly at: string }
  /** Somebody ended the last one before it was done. */
  | { readonly kind: "interrupted"; readonly at: string }
  /** The last one failed for a reason that is not in a program's data. */
  | { readonly kind: "failing"; readonly at: string; readonly lastGoodAt: string | null }
  /** None has come for much longer than usual. */
  | { readonly kind: "silent"; readonly at: string };

/** The obstacle that keeps everything but withdrawals from being published when a build comes. */
export type Keeper =
  | { readonly kind: "none" }
  | { readonly kind: "held"; readonly hold: Hold }
  /** The last build was refused by a guard. */
  | { readonly kind: "guard"; readonly at: string; readonly guard: Guard }
  /** Builds stop at faulty programs (`--on-invalid fail`), and the last one did. `programs`: those that it named. */
  | { readonly kind: "faults"; readonly at: string; readonly programs: readonly (string | null)[] };

/** The change that the guard prevents: lost programs, emptied fields, or another tenant's programs. */
export type Guard = "shrink" | "field" | "shared";

export type BuildFacts = Pick<
  TenantFacts,
  "hold" | "lastRun" | "lastTry" | "unresolved" | "usualIntervalMs"
> & {
  readonly confirmation: Pick<NonNullable<TenantFacts["confirmation"]>, "confirmedAt"> | undefined;
};

export function buildStateOf(facts: BuildFacts, now: Date): BuildState {
  const { hold } = facts;
  const keeper: Keeper = hold === null ? keeperOf(facts) : { kind: "held", hold };
  return { builds: buildsOf(facts, now), keeper };
}

/** The failure of the last build that did not get through; `null` when there is none, or when it is not recorded. */
export function failureOf(facts: BuildFacts): LastRun["failure"] {
  return lastEnd(facts).run?.failure ?? null;
}

/** P19: programs with an error that the last run left out while it published the others; rows of one id are one program. */
export function leftOutPrograms(lastRun: LastRun | null): readonly (string | null)[] {
  if (lastRun === null || lastRun.failure !== null || lastRun.tenantRun === null) return [];
  const { leftOut, counts, problems } = lastRun.tenantRun;
  const ids = leftOut ?? problems.flatMap((found) => (found.severity === "error" ? found.programId : []));
  if (ids.length === 0) return Array.from({ length: counts.invalid }, () => null);
  return ids.filter((id, at) => id === null || ids.indexOf(id) === at);
}

/**
 * A tenant is silent when no build has ended for this time: three usual intervals, and an hour at least. When the interval is
 * unknown, it is a day, and two hours for a job that is late.
 */
function patienceMs({ lastTry, lastRun, usualIntervalMs }: BuildFacts): number {
  // `snapshot watch` stores no report of a run without news, so a gap between reports is no gap between its builds (P50).
  const isReported = lastTry?.triedAt === lastRun?.finishedAt;
  return usualIntervalMs === null || !isReported ? 26 * hourMs : Math.max(3 * usualIntervalMs, hourMs);
}

const hourMs = 3_600_000;

/**
 * The build whose end counts. When the last whole reading failed, a later build of single programs, or one that somebody
 * ended, does not change that. A failure that repeats itself is reported once, so an older report of the same outcome
 * has its reason.
 */
function lastEnd({ lastTry, lastRun, unresolved }: BuildFacts): {
  readonly tried: LastTry | null;
  readonly run: LastRun | null;
} {
  if (lastTry !== null && unresolved !== null && !isFailed(lastTry) && lastTry.outcome !== "held") {
    return { tried: { outcome: unresolved.outcome, triedAt: unresolved.finishedAt }, run: unresolved };
  }
  const run = [lastRun, unresolved].find((known) => known?.outcome === lastTry?.outcome) ?? null;
  return { tried: lastTry, run };
}

function isFailed({ outcome }: LastTry): boolean {
  return outcome === "failed" || outcome === "refused";
}

function buildsOf(facts: BuildFacts, now: Date): Builds {
  const { lastTry, confirmation } = facts;
  if (lastTry === null) return { kind: "unseen" };
  if (now.getTime() - Date.parse(lastTry.triedAt) > patienceMs(facts)) {
    return { kind: "silent", at: lastTry.triedAt };
  }
  const { tried, run } = lastEnd(facts);
  const { outcome, triedAt: at } = tried ?? lastTry;
  const lastGoodAt = confirmation?.confirmedAt ?? null;
  const code = run?.failure?.code;
  switch (outcome) {
    case "interrupted":
      return { kind: "interrupted", at };
    case "skipped":
      return code === undefined ? { kind: "interrupted", at } : { kind: "failing", at, lastGoodAt };
    case "failed":
      return code === "invalid_program" ? { kind: "running", at } : { kind: "failing", at, lastGoodAt };
    case "refused":
      return code === "store_unsupported" ? { kind: "failing", at, lastGoodAt } : { kind: "running", at };
    default:
      return { kind: "running", at };
  }
}

function keeperOf(facts: BuildFacts): Keeper {
  const { tried, run } = lastEnd(facts);
  if (tried === null) return { kind: "none" };
  const at = tried.triedAt;
  const code = run?.failure?.code;
  if (tried.outcome === "refused" && code !== "store_unsupported") {
    const guard = code === "field_guard" ? "field" : code === "shared_guard" ? "shared" : "shrink";
    return { kind: "guard", at, guard };
  }
  if (tried.outcome === "failed" && code === "invalid_program") {
    return { kind: "faults", at, programs: [...new Set(run?.tenantRun?.leftOut ?? [])] };
  }
  return { kind: "none" };
}

export function holdWords({ since, reason, by }: Hold, reader: Reader): string {
  return `since ${plainTime(since, reader)}${by === null ? "" : ` by ${by}`}: ${reason.replace(/\.$/, "")}`;
}
