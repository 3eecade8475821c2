import { plainTime, type Reader } from "../../output/times.ts";
import type { LastBuild, LastRun } from "../facts/last-build.ts";
import type { Hold, TenantFacts } from "../facts/tenants.ts";

/** P47: the state of a tenant's builds: whether they come, and whether they may publish. */
export interface BuildState {
  readonly builds: Builds;
  readonly block: Block;
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
  /** None has come within the time in which one should (P50). */
  | { readonly kind: "silent"; readonly at: string; readonly withinMs: number };

/** What keeps everything but withdrawals from being published when a build comes. */
export type Block =
  | { readonly kind: "none" }
  | { readonly kind: "held"; readonly hold: Hold }
  /** The last build was refused by a guard. */
  | { readonly kind: "guard"; readonly at: string; readonly guard: Guard }
  /** Builds stop at faulty programs (`--on-invalid fail`), and the last one did. `programs`: those that it named. */
  | { readonly kind: "faults"; readonly at: string; readonly programs: readonly (string | null)[] };

/** The change that the guard prevents: lost programs, emptied fields, or another tenant's programs. */
export type Guard = "shrink" | "field" | "shared";

export type BuildFacts = Pick<LastBuild, "lastRun" | "lastTry"> &
  Pick<TenantFacts, "hold"> & {
    readonly confirmation: Pick<NonNullable<LastBuild["confirmation"]>, "confirmedAt"> | undefined;
  };

/** A daily job, and two hours for one that is late. */
const defaultBuildWithinMs = 26 * 3_600_000;

export function buildStateOf(facts: BuildFacts, reader: Reader): BuildState {
  const { hold } = facts;
  return { builds: buildsOf(facts, reader), block: hold === null ? blockOf(facts) : { kind: "held", hold } };
}

/**
 * The failure of the last build; `null` when there is none, or when it is not recorded. `snapshot watch` records a failure that
 * repeats itself once, so the last recorded run of the same outcome has the reason.
 */
export function failureOf({ lastRun, lastTry }: Pick<BuildFacts, "lastRun" | "lastTry">): LastRun["failure"] {
  return lastRun !== null && lastRun.outcome === lastTry?.outcome ? lastRun.failure : null;
}

function buildsOf(facts: BuildFacts, { now, buildWithinMs = defaultBuildWithinMs }: Reader): Builds {
  const { lastTry, confirmation } = facts;
  if (lastTry === null) return { kind: "unseen" };
  const { outcome, triedAt: at } = lastTry;
  if (now.getTime() - Date.parse(at) > buildWithinMs) return { kind: "silent", at, withinMs: buildWithinMs };
  const failing = { kind: "failing", at, lastGoodAt: confirmation?.confirmedAt ?? null } as const;
  const code = failureOf(facts)?.code;
  switch (outcome) {
    case "interrupted":
      return { kind: "interrupted", at };
    case "skipped":
      return code === undefined ? { kind: "interrupted", at } : failing;
    case "failed":
      return code === "invalid_program" ? { kind: "running", at } : failing;
    case "refused":
      return code === "store_unsupported" ? failing : { kind: "running", at };
    default:
      return { kind: "running", at };
  }
}

function blockOf(facts: BuildFacts): Block {
  const { lastRun, lastTry } = facts;
  const code = failureOf(facts)?.code;
  if (lastTry?.outcome === "refused" && code !== "store_unsupported") {
    const guard = code === "field_guard" ? "field" : code === "shared_guard" ? "shared" : "shrink";
    return { kind: "guard", at: lastTry.triedAt, guard };
  }
  if (lastTry?.outcome === "failed" && code === "invalid_program") {
    return { kind: "faults", at: lastTry.triedAt, programs: lastRun?.leftOut ?? [] };
  }
  return { kind: "none" };
}

export function holdWords({ since, reason, by }: Hold, reader: Reader): string {
  return `since ${plainTime(since, reader)}${by === null ? "" : ` by ${by}`}: ${reason.replace(/\.$/, "")}`;
}
