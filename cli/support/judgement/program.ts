import type { Reader } from "../../output/times.ts";
import { obstacleTo, prospectOf, withdrawalPasses } from "./obstacle.ts";
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
  const isWait = build !== undefined && first.length === 0;
  const prospect = prospectOf(obstacle, { effect: build?.effect ?? "", tenantId, isWait }, reader);
  const isPassing = build?.need === "withdrawal" && obstacle.kind !== "failing" && obstacle.kind !== "silent";
  const passes = isPassing ? withdrawalPasses[tenant.buildState.block.kind] : "";
  return {
    row: `${name}/${obstacle.kind}`,
    answer,
    verdict,
    summary: build === undefined ? now : `${now} ${prospect.sentence}${passes}`,
    next: nextStep(...first, ...prospect.steps),
  };
}
