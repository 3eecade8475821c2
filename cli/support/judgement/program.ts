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
  const obstacle = obstacleTo(build?.need ?? "change", tenant.way, { programId, isOnly });
  const isPassing = build?.need === "withdrawal" && obstacle.kind !== "failing" && obstacle.kind !== "silent";
  const ending =
    build === undefined
      ? ""
      : ` ${prospect(obstacle, build.effect, reader)}${isPassing ? notKept(tenant.way) : ""}`;
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
    case "damaged":
      return {
        name: "damaged",
        answer: 500,
        verdict: "damaged_store",
        now: "Partners get 500 (internal error): a published file is damaged.",
        steps: damageSteps(tenantId, store.isHeld, facts.source.kind !== "tenant_unknown"),
      };
    case "unpublished":
      return unpublished(facts, store);
    case "live":
      return store.served === null ? missingProgram(facts, store) : servedProgram(facts);
  }
}

/** A removed tenant's partners get nothing, whatever is still stored (P91). */
function removedTenant({ tenantId, source }: ProgramFacts, removedAt: string, reader: Reader): Standing {
  const isListed = source.kind !== "tenant_unknown" && source.kind !== "unavailable";
  return {
    name: "removed",
    answer: 401,
    verdict: "removed_tenant",
    now: `Partners get 401 (unauthorized) for everything: tenant ${tenantId} was removed on ${plainTime(removedAt, reader)}, and its access keys ended with it.${isListed ? " The booking system lists the tenant again." : ""}`,
    steps: removedSteps(tenantId, isListed),
  };
}

function malformedId({ programId, tenantId, source, store }: ProgramFacts): Standing {
  const near = store.kind === "live" ? store.near : null;
  const isInSource = ["invalid", "publishable", "not_publishable"].includes(source.kind);
  const known = isInSource
    ? " The booking system has a program with this id; it cannot be published under it."
    : "";
  return {
    name: "malformed_id",
    answer: 400,
    verdict: "malformed_id",
    now: `Partners get 400 (invalid request): ${JSON.stringify(programId)} cannot be the id of a program.${known}${didYouMean(near)}`,
    steps: [
      forSupport(
        "Partners take ids from the list, character by character: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit.",
        near === null ? listCommand(tenantId) : explainCommand(tenantId, near),
      ),
    ],
  };
}

type Unpublished = Extract<ProgramInStore, { readonly kind: "unpublished" }>;

function unpublished(facts: ProgramFacts, { isStore }: Unpublished): Standing {
  const { tenantId, source } = facts;
  const everything = "Partners get 500 (internal error) for everything: nothing is published for tenant";
  const base = { answer: 500, verdict: "unpublished_tenant" } as const;
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
    case "tenant_unknown":
      return {
        ...base,
        name: "unpublished_unlisted",
        verdict: "unknown_tenant",
        now: `There is no tenant ${tenantId}: the booking system does not list it, and nothing is published for it. With an access key for it partners get 500 (internal error) for everything.`,
        steps: [forSupport(tenantAdvice, "source check")],
        ...noStore,
      };
    case "unavailable":
      return {
        ...base,
        name: "unpublished_unchecked",
        now: `${everything} ${tenantId}. Whether there is such a tenant is not known: the booking system could not be asked.`,
        steps: [forSupport(`Check the tenant's id. ${askAgain}`), mendViews],
        ...noStore,
      };
    default: {
      if (noStore !== false) return { ...base, name: "unpublished/none", ...noStore };
      const without = withoutProgram(facts);
      const now = `${everything} ${tenantId}.${without.text}`;
      const effect = without.text === "" ? "publish it for the first time" : "publish the tenant without it";
      return { ...base, name: "unpublished", now, build: { need: "change", effect }, steps: without.steps };
    }
  }
}

/** Says why a first build would leave this program out, or publish it with flaws. */
function withoutProgram({ source, garbled, tenantId }: ProgramFacts): {
  readonly text: string;
  readonly steps: readonly (Step | undefined)[];
} {
  switch (source.kind) {
    case "invalid":
      return {
        text: ` A build leaves this program out, for what the booking system has cannot be published. ${problemList(source.problems)}`,
        steps: [correction(source.problems)],
      };
    case "not_publishable":
      return {
        text: ` A build leaves this program out: ${unpublishedState(source)}`,
        steps: [activation(source)],
      };
    case "absent":
      return {
        text: " The booking system has no program of this id for this tenant.",
        steps: [
          forSupport(
            "Check the id: it may differ from the number in the booking system.",
            `source preview --tenant ${tenantId}`,
          ),
        ],
      };
    default:
      return { text: "", steps: [flawStep(source, garbled)] };
  }
}
