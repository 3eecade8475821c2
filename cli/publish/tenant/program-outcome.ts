import type { PublicFacts } from "../guards/field-guard.ts";
import type { DataProblem } from "../public-program/problem.ts";

/** What became of a program. */
export interface ProgramOutcome {
  readonly programId: string | null;
  /** The checksum of its rows. `undefined` for a program that the next build reads again in any case. */
  readonly sum: string | undefined;
  /** The parts of its public detail that are filled, as a bit set in hex; or why it has none. */
  readonly state: string;
  /** Its `capacity.used`. */
  readonly used: number | null;
  readonly problems: readonly DataProblem[];
}

export function isPublished({ state }: ProgramOutcome): boolean {
  return state !== "unpublished" && state !== "invalid";
}

/** P140: what partners see of a published program, as far as the guards compare it. */
export function factsOf({ state, used }: ProgramOutcome): PublicFacts {
  return { parts: BigInt(`0x${state}`), used: used ?? 0 };
}

/** `seen`: what partners see of the program, or why they do not see it. */
export function programOutcome(
  programId: string | null,
  sum: string | undefined,
  seen: PublicFacts | "unpublished" | "invalid",
  problems: readonly DataProblem[],
): ProgramOutcome {
  const isSeen = typeof seen === "object";
  return {
    programId,
    sum,
    state: isSeen ? seen.parts.toString(16) : seen,
    used: isSeen ? seen.used : null,
    problems: problems.length === 0 ? noProblems : problems,
  };
}

/** One for all, since nearly every program has none. */
export const noProblems: readonly DataProblem[] = [];
