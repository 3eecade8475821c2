import { type NextStep, nextStep } from "../next-step.ts";
import { type Obstacle, obstacleTo } from "./obstacle.ts";
import { outlook, passes, wayOn } from "./obstacle-words.ts";
import { type ProgramFacts, type ProgramStanding, programStanding } from "./program-standing.ts";
import type { Answer, Verdict } from "./standing-row.ts";
import { standingRows } from "./standing-rows.ts";

/** What the facts of a program come to. */
export interface Judgement {
  /** The row of the table: the standing, and where it matters what stands in the way, as `served_differs/held`. */
  readonly row: string;
  readonly answer: Answer;
  readonly verdict: Verdict;
  /** What partners see, why, and what becomes of it, in a few sentences. */
  readonly summary: string;
  readonly next: NextStep;
}

/** Judges the facts. Pure: every combination of them is one row, and a row's sentences are true of all that it covers. */
export function judgement(facts: ProgramFacts): Judgement {
  const standing = programStanding(facts);
  return judged(standing.kind, standing, facts);
}

// The kind decides the type of the row and of the standing at once, which TypeScript follows through one parameter only.
function judged<Name extends ProgramStanding["kind"]>(
  kind: Name,
  standing: Extract<ProgramStanding, { readonly kind: Name }>,
  facts: ProgramFacts,
): Judgement {
  const { answer, verdict, now, after } = standingRows[kind];
  const { way, programId, tenantId, store } = facts;
  const text = now(standing, facts);
  if (after.kind === "settled") {
    return { row: kind, answer, verdict, summary: text, next: nextStep(...after.steps(standing, facts)) };
  }
  const isWait = after.kind === "waiting";
  const need = isWait ? after.need : "change";
  const isOnly = store.kind === "live" && store.programs === 1;
  const obstacle = obstacleTo(need, way, { programId, isOnly });
  const ending = isWait ? ` ${outlook(obstacle, after.effect)}${passing(need, obstacle, facts)}` : "";
  const isPlain = isWait && after.first === undefined;
  return {
    row: `${kind}/${obstacle.kind}`,
    answer,
    verdict,
    summary: `${text}${ending}`,
    next: nextStep(after.first?.(standing), ...wayOn(obstacle, tenantId, isPlain)),
  };
}

/** P20: of a withdrawal on its way, that what keeps the rest back does not keep it. */
function passing(need: string, { kind }: Obstacle, { way }: ProgramFacts): string {
  const isOnItsWay = need === "withdrawal" && kind !== "failing" && kind !== "silent";
  return isOnItsWay ? passes(way.keeper) : "";
}
