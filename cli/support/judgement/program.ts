import { isProgramId } from "../../../core/ids.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { ProgramInStore } from "../facts/program-in-store.ts";
import { activation, missingProgram, unpublishedState } from "./missing-program.ts";
import { notKept, obstacleSteps, obstacleTo, prospect } from "./obstacle.ts";
import { correction, problemList } from "./problem-words.ts";
import { damageSteps, removedSteps } from "./remedies.ts";
import { servedProgram } from "./served-program.ts";
import {
  askAgain,
  didYouMean,
  flawStep,
  mendViews,
  type ProgramFacts,
  type ProgramJudgement,
  type Standing,
  standing,
  tenantAdvice,
} from "./standing.ts";
import { explainCommand, forOperations, forSupport, listCommand, nextStep, type Step } from "./step.ts";

/** Judges a program (P47). Pure and total: every combination of facts has exactly one standing. */
export function judgedProgram(facts: ProgramFacts, reader: Reader): ProgramJudgement {
  const { tenant, programId, tenantId, store } = facts;
  const { name, answer, verdict, now, build, isToBeCorrected, steps = [] } = standingOf(facts, reader);
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
      : ` ${prospect(obstacle, build.effect, reader)}${isPassing ? notKept(tenant.buildState) : ""}`;
  const isWait = build !== undefined && first.length === 0;
  return {
    row: `${name}/${obstacle.kind}`,
    answer,
    verdict,
    summary: `${now}${ending}`,
    next: nextStep(...first, ...obstacleSteps(obstacle, tenantId, isWait)),
  };
}

function standingOf(facts: ProgramFacts, reader: Reader): Standing {
  const { store, programId, tenantId, tenant } = facts;
  const { removal } = tenant;
  if (removal !== null && removal.openKeys === 0) return removedTenant(facts, removal.removedAt, reader);
  if (!isProgramId(programId)) return malformedId(facts);
  switch (store.kind) {
    case "damaged": {
      const now = "Partners get 500 (internal error): a published file is damaged.";
      const steps = damageSteps(tenantId, store.isHeld, facts.source.kind !== "tenant_unknown");
      return standing(500, "damaged", "damaged_store", now, { steps });
    }
    case "unpublished":
      return unpublished(facts, store);
    case "live":
      return store.served === null ? missingProgram(facts, store) : servedProgram(facts);
  }
}

/** A removed tenant's partners get nothing, whatever is still stored (P91). */
function removedTenant({ tenantId, source }: ProgramFacts, removedAt: string, reader: Reader): Standing {
  const isListed = source.kind !== "tenant_unknown" && source.kind !== "unavailable";
  const again = isListed ? " The booking system lists the tenant again." : "";
  const now = `Partners get 401 (unauthorized) for everything: tenant ${tenantId} was removed on ${plainTime(removedAt, reader)}, and its access keys ended with it.${again}`;
  return standing(401, "removed", "removed_tenant", now, { steps: removedSteps(tenantId, isListed) });
}

function malformedId({ programId, tenantId, source, store }: ProgramFacts): Standing {
  const near = store.kind === "live" ? store.near : null;
  const isInSource = ["invalid", "publishable", "not_publishable"].includes(source.kind);
  const known = isInSource
    ? " The booking system has a program with this id; it cannot be published under it."
    : "";
  const now = `Partners get 400 (invalid request): ${JSON.stringify(programId)} cannot be the id of a program.${known}${didYouMean(near)}`;
  const step = forSupport(
    "Partners take ids from the list, character by character: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit.",
    near === null ? listCommand(tenantId) : explainCommand(tenantId, near),
  );
  return standing(400, "malformed_id", "malformed_id", now, { steps: [step] });
}

type Unpublished = Extract<ProgramInStore, { readonly kind: "unpublished" }>;

function unpublished(facts: ProgramFacts, { isStore }: Unpublished): Standing {
  const { tenantId, source } = facts;
  const everything = "Partners get 500 (internal error) for everything: nothing is published for tenant";
  // A build in a place that is no store would begin a new one there, and help no partner (W160, W162).
  const noStore = !isStore && {
    now: "There is no store in that place, so nobody can say what partners get. Gateways that had their store there serve what they still hold, of an older snapshot, and answer 500 to everything else; their log says since when.",
    steps: [
      forOperations(
        "If partners were served before, check STORE_URL and whether the volume is mounted. A new installation begins with its first build.",
        "store check",
      ),
    ],
  };
  switch (source.kind) {
    case "tenant_unknown": {
      const now = `There is no tenant ${tenantId}: the booking system does not list it, and nothing is published for it. With an access key for it partners get 500 (internal error) for everything.`;
      const steps = [forSupport(tenantAdvice, "source check")];
      return standing(500, "unpublished_unlisted", "unknown_tenant", now, { steps, ...noStore });
    }
    case "unavailable": {
      const now = `${everything} ${tenantId}. Whether there is such a tenant is not known: the booking system could not be asked.`;
      const steps = [forSupport(`Check the tenant's id. ${askAgain}`), mendViews];
      return standing(500, "unpublished_unchecked", "unpublished_tenant", now, { steps, ...noStore });
    }
    default: {
      if (noStore !== false) return standing(500, "unpublished/none", "unpublished_tenant", "", noStore);
      const without = withoutProgram(facts);
      const now = `${everything} ${tenantId}.${without.text}`;
      const effect = without.text === "" ? "publish it for the first time" : "publish the tenant without it";
      const build = { need: "change", effect } as const;
      return standing(500, "unpublished", "unpublished_tenant", now, { build, steps: without.steps });
    }
  }
}

/** Says why a first build would leave this program out, or publish it with flaws. */
function withoutProgram({ source, garbled, tenantId }: ProgramFacts): {
  readonly text: string;
  readonly steps: readonly (Step | undefined)[];
} {
  switch (source.kind) {
    case "invalid": {
      const text = ` A build leaves this program out, for what the booking system has cannot be published. ${problemList(source.problems)}`;
      return { text, steps: [correction(source.problems)] };
    }
    case "not_publishable": {
      const text = ` A build leaves this program out: ${unpublishedState(source)}`;
      return { text, steps: [activation(source)] };
    }
    case "absent": {
      const check = "Check the id: it may differ from the number in the booking system.";
      const text = " The booking system has no program of this id for this tenant.";
      return { text, steps: [forSupport(check, `source preview --tenant ${tenantId}`)] };
    }
    default:
      return { text: "", steps: [flawStep(source, garbled)] };
  }
}
