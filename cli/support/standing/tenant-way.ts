import type { LastTry } from "../read-confirmed.ts";
import type { LastRun } from "../run-history.ts";

/** P47: how the way stands from a tenant's booking data to its partners: whether builds come, and what they may publish. */
export interface TenantWay {
  readonly builds: Builds;
  readonly keeper: Keeper;
}

/** Whether builds come. `at`: when the last one ended, RFC 3339. */
export type Builds =
  /** Of none is anything known. */
  | { readonly kind: "unseen" }
  /** The last one got as far as the rules let it. */
  | { readonly kind: "running"; readonly at: string }
  /** Somebody ended the last one before it was done. */
  | { readonly kind: "interrupted"; readonly at: string }
  /** The last one failed, of something that no program's data is to blame for. */
  | { readonly kind: "failing"; readonly at: string; readonly lastGoodAt: string | null }
  /** None has come for much longer than usual. */
  | { readonly kind: "silent"; readonly at: string };

/** What keeps everything but withdrawals from being published when a build comes. */
export type Keeper =
  | { readonly kind: "none" }
  | { readonly kind: "held"; readonly hold: Hold }
  /** The last build was refused by a guard. */
  | { readonly kind: "guard"; readonly at: string; readonly guard: Guard }
  /** Builds stop at faulty programs (`--on-invalid fail`), and the last one did. `programs`: those that it named. */
  | { readonly kind: "faults"; readonly at: string; readonly programs: readonly (string | null)[] };

/** What the guard keeps from happening: lost programs, fields that get empty, another tenant's programs. */
export type Guard = "shrink" | "field" | "shared";

export interface Hold {
  readonly reason: string;
  /** RFC 3339. */
  readonly since: string;
}

/** What was found out of a tenant's builds. */
export interface BuildFacts {
  readonly hold: Hold | null;
  readonly lastRun: LastRun | null;
  readonly lastTry: LastTry | null;
  /** When the source was last read by a build that published it or found it unchanged. */
  readonly lastGoodAt: string | null;
  /** How long it usually takes from one run to the next; `null` when too few are known. */
  readonly usualIntervalMs: number | null;
}

/** Judges the facts. Pure. */
export function tenantWay(facts: BuildFacts, now: Date): TenantWay {
  const { hold } = facts;
  const keeper: Keeper = hold === null ? keeperOf(facts) : { kind: "held", hold };
  return { builds: buildsOf(facts, now), keeper };
}

/** P50: for how long nothing is said of a silence: three times the usual; or a day, and two hours for a job that is late. */
function patienceMs({ lastTry, lastRun, usualIntervalMs }: BuildFacts): number {
  // `snapshot watch` stores no report of a run without news, so gaps between reports are none between its builds.
  const isReported = lastTry?.triedAt === lastRun?.finishedAt;
  return usualIntervalMs === null || !isReported ? 26 * hourMs : Math.max(3 * usualIntervalMs, hourMs);
}

const hourMs = 3_600_000;

function buildsOf(facts: BuildFacts, now: Date): Builds {
  const { lastTry, lastRun, lastGoodAt } = facts;
  if (lastTry === null) return { kind: "unseen" };
  const at = lastTry.triedAt;
  if (now.getTime() - Date.parse(at) > patienceMs(facts)) return { kind: "silent", at };
  const code = failureOf(lastTry, lastRun)?.code;
  switch (lastTry.outcome) {
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

function keeperOf({ lastTry, lastRun }: BuildFacts): Keeper {
  if (lastTry === null) return { kind: "none" };
  const at = lastTry.triedAt;
  const code = failureOf(lastTry, lastRun)?.code;
  if (lastTry.outcome === "refused" && code !== "store_unsupported") {
    return { kind: "guard", at, guard: guardOf(code) };
  }
  if (lastTry.outcome === "failed" && code === "invalid_program") {
    return { kind: "faults", at, programs: lastRun?.tenantRun?.leftOut ?? [] };
  }
  return { kind: "none" };
}

function guardOf(code: string | undefined): Guard {
  if (code === "field_guard") return "field";
  return code === "shared_guard" ? "shared" : "shrink";
}

/**
 * Why the last try ended as it did. Of a failure that repeats itself a report is stored once, so the reason of an older
 * report counts as long as the outcome is the same.
 */
function failureOf(lastTry: LastTry, lastRun: LastRun | null): LastRun["failure"] {
  return lastRun?.outcome === lastTry.outcome ? lastRun.failure : null;
}
