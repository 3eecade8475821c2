import type { ProgramCounts } from "../../../schemas/generated/types.ts";

/** `ProgramCounts` that a build still adds to. */
export type ProgramTally = { -readonly [Name in keyof ProgramCounts]-?: number };

export const noPrograms: Readonly<ProgramTally> = {
  programs: 0,
  added: 0,
  changed: 0,
  removed: 0,
  unchanged: 0,
  notPublishable: 0,
  invalid: 0,
  withdrawn: 0,
};

/** The counts of a build that publishes only withdrawals. `programs`: those that partners see afterwards. */
export function countsOfKept(programs: number, found: Partial<ProgramCounts>): ProgramCounts {
  const { notPublishable = 0, invalid = 0, withdrawn = 0 } = found;
  return {
    ...noPrograms,
    ...{ programs, unchanged: programs, removed: withdrawn },
    ...{ notPublishable, invalid, withdrawn },
  };
}

export function sumOfCounts(all: readonly ProgramCounts[]): ProgramCounts {
  const sum: ProgramTally = { ...noPrograms };
  const names = Object.keys(noPrograms) as (keyof ProgramCounts)[];
  for (const counts of all) {
    for (const name of names) sum[name] += counts[name] ?? 0;
  }
  return sum;
}
