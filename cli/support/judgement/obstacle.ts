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

/**
 * P47: a sentence about the program's future, by the obstacle. `effect`: the effect of a build on the program, such as "take it
 * out".
 */
export function prospect(obstacle: Obstacle, effect: string, reader: Reader): string {
  const stays = "Nothing of that reaches partners by itself:";
  const when = (at: string): string => plainTime(at, reader);
  switch (obstacle.kind) {
    case "none":
      return `Builds get through (the last one ended ${when(obstacle.at)}), and the next one should ${effect}.`;
    case "interrupted":
      return `The last build was stopped before it was done (${when(obstacle.at)}); the next one that gets through should ${effect}.`;
    case "unseen":
      return `No build is on record, so whether one comes is not known; one that gets through should ${effect}.`;
    case "held":
      return `${stays} the tenant is held ${holdWords(obstacle.hold, reader)}. Operations have to end the hold.${otherwise(obstacle.builds, reader)}`;
    case "failing": {
      const { lastGoodAt } = obstacle;
      const since =
        lastGoodAt === null ? "" : `, and the last that got through read the data of ${when(lastGoodAt)}`;
      return `${stays} builds fail (the last one ${when(obstacle.at)}${since}), until operations mend that.`;
    }
    case "silent":
      return `${stays} no build has ended since ${when(obstacle.at)}, and one should come within ${lengthOf(obstacle.withinMs)}.`;
    case "guard":
      return `${stays} the last build (${when(obstacle.at)}) was refused, since ${guardReason(obstacle.guard)}, and so is the next until that is settled.`;
    case "faults":
      return `${stays} builds stop at faulty programs, and the last one (${when(obstacle.at)}) stopped at ${namedPrograms(obstacle.programs)}.`;
    case "last":
      return `It is the only program that they see, and builds refuse to leave them an empty list: the next one can ${effect} only if the booking system has another program to publish by then.`;
  }
}

/** Says that ending the hold would change nothing by itself. */
function otherwise(builds: Builds, reader: Reader): string {
  if (builds.kind === "failing") return ` Builds fail, too (the last one ${plainTime(builds.at, reader)}).`;
  return builds.kind === "silent" ? ` Nor has a build ended since ${plainTime(builds.at, reader)}.` : "";
}

/** A sentence that says why a withdrawal gets through although the tenant is kept as it is. */
export function whyItPasses({ block }: BuildState): string {
  switch (block.kind) {
    case "none":
      return "";
    case "held":
      return " The hold does not keep that back.";
    case "guard":
      return " That the last build was refused does not keep it back.";
    case "faults":
      return " The faults of other programs do not keep it back.";
  }
}

/** The steps that remove the obstacle. `isWait` says that nothing has to be corrected first. */
export function obstacleSteps(obstacle: Obstacle, tenantId: string, isWait: boolean): readonly Step[] {
  const build = buildCommand(tenantId);
  switch (obstacle.kind) {
    case "none":
      return isWait
        ? [
            forSupport("Wait for the next build; nothing is to be corrected."),
            forOperations("If it cannot wait, build now.", build),
          ]
        : [forOperations("Then build, or wait for the next build.", build)];
    case "interrupted":
    case "unseen":
      return [startStep(tenantId)];
    case "held": {
      const { kind } = obstacle.builds;
      const status = `snapshot status --tenant ${tenantId}`;
      return [
        forSupport("Ask operations whether the reason of the hold is gone."),
        releaseStep(tenantId),
        ...(kind === "failing" ? [forOperations("Mend why builds fail, too.", status)] : []),
        ...(kind === "silent" ? [forOperations("Find out, too, why no build comes by itself.")] : []),
      ];
    }
    case "failing": {
      const status = `snapshot status --tenant ${tenantId}`;
      return [
        forSupport("Tell operations that builds fail; the last run's reason is below."),
        forOperations("Mend what the last run says, then build.", status, build),
      ];
    }
    case "silent":
      return silentSteps(tenantId);
    case "guard":
      return guardSteps(tenantId, obstacle.guard);
    case "faults":
      return faultsSteps(tenantId, obstacle.programs);
    case "last":
      return [
        ...(isWait
          ? [forSupport("Look whether it is really gone from the booking system, and tell operations.")]
          : []),
        forOperations(
          "If partners should see an empty list, build with --allow-shrink.",
          buildCommand(tenantId, "--allow-shrink"),
        ),
      ];
  }
}
