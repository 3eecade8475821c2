import { plainTime, type Reader } from "../../output/words.ts";
import type { LastRun } from "../facts/last-builds.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import {
  clause,
  commandTo,
  forOperations,
  forSupport,
  lengthOf,
  namedPrograms,
  remedies,
  type Step,
} from "./steps.ts";

/** P47: whether a tenant's builds come, and whether they may publish. */
export interface BuildState {
  /**
   * `running`: the last one got as far as the rules let it. `interrupted`: somebody ended it. `failing`: it
   * failed for a reason that is not in a program's data. `silent`: none has come in the time in which one
   * should (P53).
   */
  readonly builds: "unseen" | "running" | "interrupted" | "failing" | "silent";
  /**
   * What keeps everything but withdrawals from being published when a build comes. `guard`: one refused the
   * last build. `faults`: builds stop at faulty programs (`--on-invalid fail`), and the last one did.
   */
  readonly block: "none" | "held" | "guard" | "faults";
}

export type BuildFacts = Pick<TenantFacts, "lastRun" | "lastTry" | "hold">;

export function buildStateOf(facts: BuildFacts, reader: Reader): BuildState {
  return { builds: buildsOf(facts, reader), block: facts.hold === null ? blockOf(facts) : "held" };
}

/**
 * The failure of the last build; `null` when there is none, or when it is not recorded. `snapshot watch`
 * records a failure that repeats itself once, so the last recorded run of the same outcome has the reason.
 */
export function failureOf({ lastRun, lastTry }: Omit<BuildFacts, "hold">): LastRun["failure"] {
  return lastRun !== null && lastRun.outcome === lastTry?.outcome ? lastRun.failure : null;
}

/** A daily job, and two hours for one that is late. */
export function buildWithin({ buildWithinMs = 26 * 3_600_000 }: Reader): number {
  return buildWithinMs;
}

function buildsOf(facts: BuildFacts, reader: Reader): BuildState["builds"] {
  if (facts.lastTry === null) return "unseen";
  const { outcome, triedAt } = facts.lastTry;
  if (reader.now.getTime() - Date.parse(triedAt) > buildWithin(reader)) return "silent";
  const code = failureOf(facts)?.code;
  switch (outcome) {
    case "interrupted":
      return "interrupted";
    case "skipped":
      return code === undefined ? "interrupted" : "failing";
    case "failed":
      return code === "invalid_program" ? "running" : "failing";
    case "refused":
      return code === "store_unsupported" ? "failing" : "running";
    default:
      return "running";
  }
}

function blockOf(facts: BuildFacts): BuildState["block"] {
  const code = failureOf(facts)?.code;
  if (facts.lastTry?.outcome === "refused" && code !== "store_unsupported") return "guard";
  return facts.lastTry?.outcome === "failed" && code === "invalid_program" ? "faults" : "none";
}

export function holdWords({ since, reason }: NonNullable<TenantFacts["hold"]>, reader: Reader): string {
  return `since ${plainTime(since, reader)}: ${clause(reason)}`;
}

interface Guard {
  /** What the guard prevented. */
  readonly reason: string;
  readonly question: string;
  readonly override?: string;
}

/** By the code of the failure. */
const guardsByCode: Readonly<Record<string, Guard>> = {
  shrink_guard: {
    reason: "too many programs or all of them would have disappeared at once",
    question: "Look whether those programs are really gone from the booking system.",
    override: "--allow-shrink",
  },
  field_guard: {
    reason: "most programs would have lost something that partners see of them",
    question: "Look whether those fields are really empty in the booking system.",
    override: "--allow-emptied",
  },
  scale_guard: {
    reason: "most starting amounts would have had another scale",
    question: "Look whether the new amounts are right, as when those that are live are wrong.",
    override: "--allow-scaled",
  },
  shared_guard: {
    reason: "partners would have got programs that another company has, too",
    question: "Look whether both companies really offer those programs.",
    override: "--allow-shared",
  },
};

/** A stored run may name any code. */
const guards = new Map(Object.entries(guardsByCode));

/** The reason is not known where the run that was refused left no record. */
const someGuard: Guard = {
  reason: "a guard stopped it, and which one is not on record",
  question: "Look what the next build says.",
};

function guardOf(facts: BuildFacts): Guard {
  return guards.get(failureOf(facts)?.code ?? "") ?? someGuard;
}

export function guardSteps(tenant: TenantFacts): readonly Step[] {
  const { question, override } = guardOf(tenant);
  const build = commandTo.build(tenant.tenantId);
  const tell = forSupport("Tell operations that the last build was refused.");
  if (override === undefined) return [tell, forOperations(question, build)];
  const text = `${question} If not, mend the source and build; if so, build with ${override}.`;
  return [tell, forOperations(text, build, commandTo.build(tenant.tenantId, override))];
}

/** `withdrawal`: the program goes as the source states; `loss`: without that. `change`: anything else. */
export type Need = "change" | "withdrawal" | "loss";

/** `last` (P10): the last published program, which the next build refuses to remove without another. */
export type Obstacle = "none" | "last" | Exclude<BuildState[keyof BuildState], "running">;

/** A program that waits for a build. `isOnly`: no other is published. `isWait`: nothing to correct. */
interface Waiting {
  readonly tenant: TenantFacts;
  readonly programId: string;
  readonly isOnly: boolean;
  readonly isWait: boolean;
  readonly need: Need;
  /** The effect of a build on the program, such as "take it out". */
  readonly effect: string;
}

/**
 * Finds what stands in the way of a program (P47). A hold counts first, since somebody has to end it whatever
 * builds do. Next comes that no build gets through, and then the guard or fault that a build would meet. The
 * program's own fault is no obstacle, because correcting it is the first step anyway.
 */
function obstacleTo({ tenant, programId, isOnly, need }: Waiting, { builds, block }: BuildState): Obstacle {
  // A stated withdrawal passes a hold, the guard, and faults of other programs (P20).
  const met = need === "withdrawal" ? "none" : block;
  if (met === "held") return met;
  if (builds === "failing" || builds === "silent") return builds;
  if (met === "guard") return met;
  const faulty = tenant.lastRun?.leftOut ?? [];
  if (met === "faults" && (faulty.length === 0 || faulty.some((id) => id !== programId))) return met;
  if (need === "loss" && isOnly) return "last";
  return builds === "running" ? "none" : builds;
}

/** A program that waits, with who asks and what its build meets. */
interface Met extends Waiting {
  readonly reader: Reader;
  readonly state: BuildState;
  /** When the last build ended, in words. */
  readonly endedAt: string;
}

/** A sentence about the program's future, and the steps that remove the obstacle. */
type Outlook = readonly [sentence: string, ...steps: readonly Step[]];

export function awaitedBuild(waiting: Waiting, reader: Reader) {
  const state = buildStateOf(waiting.tenant, reader);
  const endedAt = plainTime(waiting.tenant.lastTry?.triedAt ?? "", reader);
  const obstacle = obstacleTo(waiting, state);
  const [sentence, ...steps] = outlooks[obstacle]({ ...waiting, reader, state, endedAt });
  return { obstacle, sentence, steps };
}

/** P47: the table of obstacles. */
const outlooks: Readonly<Record<Obstacle, (met: Met) => Outlook>> = {
  none(met) {
    const build = commandTo.build(met.tenant.tenantId);
    const wait = [
      forSupport("Wait for the next build; nothing is to be corrected."),
      forOperations("If it cannot wait, build now.", build),
    ];
    const then = [forOperations("Then build, or wait for the next build.", build)];
    const sentence = `Builds get through (the last one ended ${met.endedAt}), and the next one`;
    return [comes(met, sentence), ...(met.isWait ? wait : then)];
  },

  interrupted(met) {
    const sentence = `The last build was stopped before it was done (${met.endedAt}); the next one that gets through`;
    return [comes(met, sentence), remedies.start(met.tenant.tenantId)];
  },

  unseen(met) {
    const sentence = "No build is on record, so whether one comes is not known; one that gets through";
    return [comes(met, sentence), remedies.start(met.tenant.tenantId)];
  },

  held({ tenant: { tenantId, hold }, state: { builds }, endedAt, reader }) {
    const held = `the tenant is held ${hold === null ? "" : holdWords(hold, reader)}. Operations have to end the hold.`;
    const ask = forSupport("Ask operations whether the reason of the hold is gone.");
    const steps = [ask, remedies.release(tenantId)];
    // Ending the hold would change nothing by itself.
    if (builds === "failing") {
      const mend = forOperations("Mend why builds fail, too.", commandTo.status(tenantId));
      return [stays(`${held} Builds fail, too (the last one ${endedAt}).`), ...steps, mend];
    }
    if (builds === "silent") {
      const find = forOperations("Find out, too, why no build comes by itself.");
      return [stays(`${held} Nor has a build ended since ${endedAt}.`), ...steps, find];
    }
    return [stays(held), ...steps];
  },

  failing({ tenant: { tenantId, confirmation }, endedAt, reader }) {
    const good = confirmation?.confirmedAt ?? null;
    const since =
      good === null ? "" : `, and the last that got through read the data of ${plainTime(good, reader)}`;
    return [
      stays(`builds fail (the last one ${endedAt}${since}), until operations mend that.`),
      forSupport("Tell operations that builds fail; the last run's reason is below."),
      forOperations(mendRun, commandTo.status(tenantId), commandTo.build(tenantId)),
    ];
  },

  silent({ tenant: { tenantId }, endedAt, reader }) {
    const within = lengthOf(buildWithin(reader));
    const why = `no build has ended since ${endedAt}, and one should come within ${within}.`;
    return [stays(why), ...remedies.silent(tenantId)];
  },

  guard({ tenant, endedAt }) {
    const { reason } = guardOf(tenant);
    const why = `the last build (${endedAt}) was refused, since ${reason}, and so is the next until that is settled.`;
    return [stays(why), ...guardSteps(tenant)];
  },

  faults({ tenant: { tenantId, lastRun }, programId, endedAt }) {
    const others = lastRun?.leftOut.filter((id) => id !== programId) ?? [];
    const why = `builds stop at faulty programs, and the last one (${endedAt}) stopped at ${namedPrograms(others)}.`;
    return [stays(why), ...remedies.faults(tenantId, others)];
  },

  last({ tenant: { tenantId }, effect, isWait }) {
    const check = "Look whether it is really gone from the booking system, and tell operations.";
    const override = "If partners should see an empty list, build with --allow-shrink.";
    const empty = forOperations(override, commandTo.build(tenantId, "--allow-shrink"));
    const sentence = `It is the only program that they see, and builds refuse to leave them an empty list: the next one can ${effect} only if the booking system has another program to publish by then.`;
    return [sentence, ...(isWait ? [forSupport(check)] : []), empty];
  },
};

export const mendRun = "Mend what the last run says, then build.";

function comes({ need, effect, state }: Met, sentence: string): string {
  return `${sentence} should ${effect}.${need === "withdrawal" ? passing[state.block] : ""}`;
}

function stays(why: string): string {
  return `Nothing of that reaches partners by itself: ${why}`;
}

/** Why a withdrawal gets through although the tenant is kept as it is. */
const passing: Readonly<Record<BuildState["block"], string>> = {
  none: "",
  held: " The hold does not keep that back.",
  guard: " That the last build was refused does not keep it back.",
  faults: " The faults of other programs do not keep it back.",
};
