import type { Reader } from "../../output/times.ts";
import { obstacleSteps, obstacleTo, prospect, whyItPasses } from "./obstacle.ts";
import { caseOf } from "./program-cases.ts";
import type { ProgramFacts, ProgramJudgement } from "./standing.ts";
import { nextStep } from "./step.ts";

/** Judges a program (P47): its case in the table, and what stands in the way of the build that it waits for. Pure. */
export function judgedProgram(facts: ProgramFacts, reader: Reader): ProgramJudgement {
  const { tenant, programId, tenantId, store } = facts;
  const { name, answer, verdict, now, build, isToBeCorrected, steps = [] } = caseOf(facts, reader);
  const first = steps.filter((step) => step !== undefined);
  if (build === undefined && isToBeCorrected !== true) {
    return { row: name, answer, verdict, summary: now, next: nextStep(...first) };
  }
  const isOnly = store.kind === "live" && store.programs === 1;
  const obstacle = obstacleTo(build?.need ?? "change", tenant.buildState, { programId, isOnly });
  const isPassing = build?.need === "withdrawal" && obstacle.kind !== "failing" && obstacle.kind !== "silent";
  const ending =
    build === undefined
      ? ""
      : ` ${prospect(obstacle, build.effect, reader)}${isPassing ? whyItPasses(tenant.buildState) : ""}`;
  const isWait = build !== undefined && first.length === 0;
  return {
    row: `${name}/${obstacle.kind}`,
    answer,
    verdict,
    summary: `${now}${ending}`,
    next: nextStep(...first, ...obstacleSteps(obstacle, tenantId, isWait)),
  };
}
