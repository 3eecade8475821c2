import { forOperations, forSupport, type Step } from "../next-step.ts";
import { plainTime } from "../plain-time.ts";
import { shellWord } from "../shell-word.ts";
import type { Obstacle } from "./obstacle.ts";
import type { Builds, Guard, Keeper } from "./tenant-way.ts";

/** P47: what becomes of the program, by what stands in the way. `effect`: what a build does to it, "take it out". */
export function outlook(obstacle: Obstacle, effect: string): string {
  switch (obstacle.kind) {
    case "none":
      return `Builds get through (the last one ended ${plainTime(obstacle.at)}), and the next one should ${effect}.`;
    case "interrupted":
      return `The last build was stopped before it was done (${plainTime(obstacle.at)}); the next one that gets through should ${effect}.`;
    case "unseen":
      return `No build is on record, so whether one comes is not known; one that gets through should ${effect}.`;
    case "held":
      return `Nothing of that reaches partners by itself: the tenant is held since ${plainTime(obstacle.hold.since)} (${obstacle.hold.reason}), until operations end the hold.${norBuilds(obstacle.builds)}`;
    case "failing": {
      const since =
        obstacle.lastGoodAt === null
          ? ""
          : `, and the last that got through read the data of ${plainTime(obstacle.lastGoodAt)}`;
      return `Nothing of that reaches partners by itself: builds fail (the last one ${plainTime(obstacle.at)}${since}), until operations mend that.`;
    }
    case "silent":
      return `Nothing of that reaches partners by itself: no build has ended since ${plainTime(obstacle.at)}, much longer than usual.`;
    case "guard":
      return `Nothing of that reaches partners by itself: the last build (${plainTime(obstacle.at)}) was refused, since ${guardWords[obstacle.guard].reason}, and so is the next until that is settled.`;
    case "faults":
      return `Nothing of that reaches partners by itself: builds stop at faulty programs, and the last one (${plainTime(obstacle.at)}) stopped at ${named(obstacle.programs)}.`;
    case "last":
      return `It is the only program that they see, and builds refuse to leave them an empty list: the next one can ${effect} only if the booking system has another program to publish by then.`;
  }
}

const guardWords: Readonly<
  Record<Guard, { readonly reason: string; readonly question: string; readonly override: string }>
> = {
  shrink: {
    reason: "too many programs or all of them would have disappeared at once",
    question: "Look whether those programs are really gone from the booking system.",
    override: "--allow-shrink",
  },
  field: {
    reason: "most programs would have lost something that partners see of them",
    question: "Look whether those fields are really empty in the booking system.",
    override: "--allow-emptied",
  },
  shared: {
    reason: "partners would have got programs that another company has, too",
    question: "Look whether both companies really offer those programs.",
    override: "--allow-shared",
  },
};

/** That the end of the hold alone would change nothing. */
function norBuilds(builds: Builds): string {
  switch (builds.kind) {
    case "failing":
      return ` Builds fail, too (the last one ${plainTime(builds.at)}).`;
    case "silent":
      return ` Nor has a build ended since ${plainTime(builds.at)}, much longer than usual.`;
    default:
      return "";
  }
}

/** Why a withdrawal is on its way though the tenant is kept as it is. */
export function passes(keeper: Keeper): string {
  switch (keeper.kind) {
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

/** Who does what about it. `isWait`: nothing is to be corrected first. */
export function wayOn(obstacle: Obstacle, tenantId: string, isWait: boolean): readonly Step[] {
  const build = `snapshot build --tenant ${tenantId}`;
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
      return [forOperations("Build now, and see that builds come by themselves.", build)];
    case "held":
      return [
        forSupport("Ask operations whether the reason of the hold is gone."),
        forOperations("When it is, end the hold and build.", `snapshot release --tenant ${tenantId}`, build),
        ...afterHold(obstacle.builds, tenantId),
      ];
    case "failing":
      return [
        forSupport("Tell operations that builds fail; the last run's reason is below."),
        forOperations(
          "Mend what the last run says, then build.",
          `snapshot status --tenant ${tenantId}`,
          build,
        ),
      ];
    case "silent":
      return [
        forSupport("Tell operations that no build comes."),
        forOperations(
          "Find out what stopped the cron job or `snapshot watch`, start it again, and build.",
          build,
        ),
      ];
    case "guard":
      return [
        forSupport("Tell operations that the last build was refused; its reason is below."),
        forOperations(
          `${guardWords[obstacle.guard].question} If not, mend the source and build; if so, build with ${guardWords[obstacle.guard].override}.`,
          build,
          `${build} ${guardWords[obstacle.guard].override}`,
        ),
      ];
    case "faults":
      return [
        forSupport(
          `Have ${named(obstacle.programs)} corrected in the booking system.`,
          ...obstacle.programs
            .filter((id) => id !== null)
            .slice(0, 1)
            .map((id) => `snapshot explain --tenant ${tenantId} --program ${shellWord(id)}`),
        ),
        forOperations(
          "Then build; or build without the faulty programs.",
          build,
          `${build} --on-invalid report`,
        ),
      ];
    case "last":
      return [
        ...(isWait
          ? [forSupport("Look whether it is really gone from the booking system, and tell operations.")]
          : []),
        forOperations(
          "If partners should see an empty list, build with --allow-shrink.",
          `${build} --allow-shrink`,
        ),
      ];
  }
}

/** What else operations have to mend before anything reaches partners. */
function afterHold({ kind }: Builds, tenantId: string): readonly Step[] {
  if (kind === "failing") {
    return [forOperations("Mend why builds fail, too.", `snapshot status --tenant ${tenantId}`)];
  }
  return kind === "silent" ? [forOperations("Find out, too, why no build comes by itself.")] : [];
}

function named(programs: readonly (string | null)[]): string {
  if (programs.length === 0) return "faulty programs";
  const shown = programs.slice(0, maxShown).map((id) => (id === null ? "without an id" : JSON.stringify(id)));
  const more = programs.length > maxShown ? ` and ${programs.length - maxShown} more` : "";
  return `${programs.length === 1 ? "program" : "programs"} ${shown.join(", ")}${more}`;
}

const maxShown = 3;
