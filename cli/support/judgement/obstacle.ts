import { plainTime, type Reader } from "../../output/times.ts";
import { type Block, type BuildState, type Builds, holdWords } from "./builds.ts";
import {
  faultsSteps,
  guardReason,
  guardSteps,
  namedPrograms,
  releaseStep,
  silentSteps,
  startStep,
} from "./remedies.ts";
import { buildCommand, forOperations, forSupport, lengthOf, type Step } from "./step.ts";

export type Obstacle =
  | { readonly kind: "none"; readonly at: string }
  | Exclude<Builds, { readonly kind: "running" }>
  /** `builds`: whether any would come if the hold ended. */
  | (Extract<Block, { readonly kind: "held" }> & { readonly builds: Builds })
  /** `programs`: other ones than the program in question; empty when the report does not name them. */
  | Extract<Block, { readonly kind: "guard" | "faults" }>
  /** P10: this program is the last published one. The next build refuses to remove it unless it publishes another one. */
  | { readonly kind: "last" };

/** `withdrawal`: the program goes, because the source states so; `loss`: it goes without that. `change`: anything else. */
export type Need = "change" | "withdrawal" | "loss";

/**
 * Finds what stands in the way of a program (P47). A hold counts first, since somebody has to end it whatever builds do. Next
 * comes that no build gets through, and then the guard or fault that a build would meet. `isOnly` says that no other program is
 * published. The program's own fault is no obstacle, because correcting it is the first step anyway.
 */
export function obstacleTo(
  need: Need,
  { builds, block }: BuildState,
  { programId, isOnly }: { readonly programId: string; readonly isOnly: boolean },
): Obstacle {
  // A stated withdrawal passes a hold, the guard, and faults of other programs (P20).
  const met = need === "withdrawal" ? undefined : block;
  if (met?.kind === "held") return { ...met, builds };
  if (builds.kind === "failing" || builds.kind === "silent") return builds;
  if (met?.kind === "guard") return met;
  if (met?.kind === "faults") {
    const others = met.programs.filter((id) => id !== programId);
    const isAlone = met.programs.length > 0 && others.length === 0;
    if (!isAlone) return { ...met, programs: others };
  }
  if (need === "loss" && isOnly) return { kind: "last" };
  return builds.kind === "running" ? { kind: "none", at: builds.at } : builds;
}

/** What follows from an obstacle: a sentence about the program's future, and the steps that remove the obstacle. */
export interface Prospect {
  readonly sentence: string;
  readonly steps: readonly Step[];
}

/**
 * P47: the table of obstacles. `effect`: the effect of a build on the program, such as "take it out". `isWait` says that nothing
 * has to be corrected first.
 */
export function prospectOf(
  obstacle: Obstacle,
  {
    effect,
    tenantId,
    isWait,
  }: { readonly effect: string; readonly tenantId: string; readonly isWait: boolean },
  reader: Reader,
): Prospect {
  const build = buildCommand(tenantId);
  const status = `snapshot status --tenant ${tenantId}`;
  const when = (at: string): string => plainTime(at, reader);
  const stays = (why: string, ...steps: readonly Step[]): Prospect => {
    return { sentence: `Nothing of that reaches partners by itself: ${why}`, steps };
  };
  switch (obstacle.kind) {
    case "none":
      return {
        sentence: `Builds get through (the last one ended ${when(obstacle.at)}), and the next one should ${effect}.`,
        steps: isWait
          ? [
              forSupport("Wait for the next build; nothing is to be corrected."),
              forOperations("If it cannot wait, build now.", build),
            ]
          : [forOperations("Then build, or wait for the next build.", build)],
      };
    case "interrupted": {
      const sentence = `The last build was stopped before it was done (${when(obstacle.at)}); the next one that gets through should ${effect}.`;
      return { sentence, steps: [startStep(tenantId)] };
    }
    case "unseen": {
      const sentence = `No build is on record, so whether one comes is not known; one that gets through should ${effect}.`;
      return { sentence, steps: [startStep(tenantId)] };
    }
    case "held": {
      const { builds, hold } = obstacle;
      const held = `the tenant is held ${holdWords(hold, reader)}. Operations have to end the hold.`;
      const ask = forSupport("Ask operations whether the reason of the hold is gone.");
      const release = releaseStep(tenantId);
      // Ending the hold would change nothing by itself.
      if (builds.kind === "failing") {
        const mend = forOperations("Mend why builds fail, too.", status);
        return stays(`${held} Builds fail, too (the last one ${when(builds.at)}).`, ask, release, mend);
      }
      if (builds.kind === "silent") {
        const find = forOperations("Find out, too, why no build comes by itself.");
        return stays(`${held} Nor has a build ended since ${when(builds.at)}.`, ask, release, find);
      }
      return stays(held, ask, release);
    }
    case "failing": {
      const { at, lastGoodAt } = obstacle;
      const since =
        lastGoodAt === null ? "" : `, and the last that got through read the data of ${when(lastGoodAt)}`;
      return stays(
        `builds fail (the last one ${when(at)}${since}), until operations mend that.`,
        forSupport("Tell operations that builds fail; the last run's reason is below."),
        forOperations("Mend what the last run says, then build.", status, build),
      );
    }
    case "silent":
      return stays(
        `no build has ended since ${when(obstacle.at)}, and one should come within ${lengthOf(obstacle.withinMs)}.`,
        ...silentSteps(tenantId),
      );
    case "guard":
      return stays(
        `the last build (${when(obstacle.at)}) was refused, since ${guardReason(obstacle.guard)}, and so is the next until that is settled.`,
        ...guardSteps(tenantId, obstacle.guard),
      );
    case "faults":
      return stays(
        `builds stop at faulty programs, and the last one (${when(obstacle.at)}) stopped at ${namedPrograms(obstacle.programs)}.`,
        ...faultsSteps(tenantId, obstacle.programs),
      );
    case "last": {
      const look = "Look whether it is really gone from the booking system, and tell operations.";
      const override = "If partners should see an empty list, build with --allow-shrink.";
      return {
        sentence: `It is the only program that they see, and builds refuse to leave them an empty list: the next one can ${effect} only if the booking system has another program to publish by then.`,
        steps: [
          ...(isWait ? [forSupport(look)] : []),
          forOperations(override, buildCommand(tenantId, "--allow-shrink")),
        ],
      };
    }
  }
}

/** Why a withdrawal gets through although the tenant is kept as it is. */
export const withdrawalPasses: Readonly<Record<Block["kind"], string>> = {
  none: "",
  held: " The hold does not keep that back.",
  guard: " That the last build was refused does not keep it back.",
  faults: " The faults of other programs do not keep it back.",
};
