import { isProgramId } from "../../../core/ids.ts";
import type { Reader } from "../../output/times.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import type { ProgramInStore } from "../facts/program-in-store.ts";
import { didYouMean, inSandbox, malformedId, removedTenant, unpublished } from "./no-program-cases.ts";
import { obstacleTo, prospectOf, withdrawalPasses } from "./obstacle.ts";
import {
  activation,
  correction,
  flawed,
  flawStep,
  flawWords,
  problemList,
  unpublishedState,
  unseenThen,
} from "./problem-words.ts";
import { askAgain, damageSteps, mendViews, nothingToDo, tenantAdvice, unlistedSteps } from "./remedies.ts";
import { type ProgramFacts, type ProgramJudgement, type Standing, standing } from "./standing.ts";
import { explainCommand, forSupport, listCommand, nextStep } from "./step.ts";
import { goneSince } from "./tenant.ts";

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

/**
 * The table of cases (P47): what partners see of a program × what the source says of it → the sentence and the steps. Total, so
 * every combination of facts has exactly one case. What stands in the way of a build is added by `judgedProgram`.
 */
function caseOf(facts: ProgramFacts, reader: Reader): Standing {
  const { store, programId, tenantId, tenant, source } = facts;
  const goneAt = goneSince(tenant);
  if (goneAt !== null) return removedTenant(facts, goneAt, reader);
  if (!isProgramId(programId)) return malformedId(facts);
  if (tenant.isSandbox) return inSandbox(facts);
  switch (store.kind) {
    case "damaged":
      return standing("damaged", "Partners get 500 (internal error): a published file is damaged.", {
        steps: damageSteps(tenantId, store.isHeld, source.kind !== "tenant_unknown"),
      });
    case "unpublished":
      return unpublished(facts, store.isStore);
    case "live":
      return store.served === null ? missing(facts, store) : served(facts);
  }
}

type LiveStore = Extract<ProgramInStore, { readonly kind: "live" }>;

function served({ source, tenantId, tenant, changes, garbled }: ProgramFacts): Standing {
  switch (source.kind) {
    case "unavailable":
      return standing(
        "served_unchecked",
        "Partners see it. Whether the booking system says something else by now is not known: it could not be asked.",
        { steps: [forSupport(askAgain), mendViews] },
      );
    case "tenant_unknown":
      return standing(
        "served_unlisted",
        `Partners see it as it was last published, though the booking system no longer lists tenant ${tenantId}; builds pass the tenant over.`,
        { steps: unlistedSteps(tenantId, ", which ends its access keys") },
      );
    case "absent":
      return standing("served_absent", "Partners still see it, though the booking system no longer has it.", {
        build: { need: "loss", effect: "take it out" },
      });
    case "not_publishable":
      return standing(
        "served_withdrawn",
        `Partners still see it, though the source says ${JSON.stringify(source.state)} now.`,
        { build: { need: "withdrawal", effect: "take it out" } },
      );
    case "invalid": {
      const now = "Partners see it as it was; what the booking system has now cannot be published";
      const steps = [correction(source.problems), flawStep(source, garbled)];
      const why = `${problemList(source.problems)}${unseenThen(source)}`;
      // The last run's `--on-invalid` shows what builds of this tenant do with a faulty program (P19).
      if (tenant.lastRun?.onInvalid === "fail") {
        const stopping = `${now}, and builds of this tenant stop at such a fault: ${why}`;
        return standing("served_stopping", stopping, { isToBeCorrected: true, steps });
      }
      const build = { need: "loss", effect: "leave it out, so that partners no longer see it" } as const;
      return standing("served_faulty", `${now}: ${why}`, { build, steps });
    }
    case "publishable":
      break;
  }
  const flaws = flawWords(source.dropped, garbled);
  if (changes !== null && changes.length > 0) {
    const fields = [...new Set(changes.map(({ path }) => fieldLabel(path.split(/[.[]/)[0] ?? path)))];
    return standing(
      "served_differs",
      `Partners see an older version; the booking system has changed since (${fields.join(", ")}).${flawed(flaws)}`,
      {
        build: { need: "change", effect: "bring partners the new version" },
        steps: [flawStep(source, garbled)],
      },
    );
  }
  const count = source.dropped.length;
  if (count === 0) {
    return standing(
      "served_same",
      ["Partners see it, exactly as the booking system has it now.", ...flaws].join(" "),
      {
        steps: [
          garbled.length > 0
            ? forSupport("Have the garbled texts corrected in the booking system; partners see what it has.")
            : nothingToDo,
        ],
      },
    );
  }
  const values = count === 1 ? "one value that is not published" : `${count} values that are not published`;
  const also = garbled.length === 0 ? "" : ", and the garbled texts as well";
  return standing(
    "served_dropped",
    `Partners see it as the booking system has it now, but for ${values}, by rule: ${flaws.join(" ")}`,
    {
      isToBeCorrected: true,
      steps: [forSupport(`If a value above should be seen, have it corrected in the booking system${also}.`)],
    },
  );
}

function missing(facts: ProgramFacts, store: LiveStore): Standing {
  const { source, tenant, tenantId, garbled } = facts;
  const unseen = "Partners do not see it (404):";
  switch (source.kind) {
    case "unavailable": {
      const near = store.near !== null && explainCommand(tenantId, store.near);
      return standing(
        "missing_unchecked",
        `${unseen} it is not among what is published. Why is not known: the booking system could not be asked.${didYouMean(store.near)}`,
        { steps: [forSupport(askAgain, near), mendViews] },
      );
    }
    case "tenant_unknown":
      return standing(
        "missing_unlisted",
        `${unseen} it is not among what is published, and the booking system does not list tenant ${tenantId}, so builds pass the tenant over.`,
        { steps: [forSupport(tenantAdvice, "source check")] },
      );
    case "not_publishable":
      return standing("missing_unpublishable", `${unseen} ${unpublishedState(source)}`, {
        isToBeCorrected: true,
        steps: [activation(source)],
      });
    case "invalid": {
      const stops = tenant.lastRun?.onInvalid === "fail";
      const stopping = stops ? ", and builds of this tenant stop at such a fault" : "";
      return standing(
        stops ? "missing_stopping" : "missing_faulty",
        `${unseen} what the booking system has cannot be published${stopping}. ${problemList(source.problems)}${unseenThen(source)}`,
        { isToBeCorrected: true, steps: [correction(source.problems), flawStep(source, garbled)] },
      );
    }
    case "publishable":
      return standing(
        "missing_waiting",
        `${unseen} the booking system has it, fit to be published, but what is published was built without it.${flawed(flawWords(source.dropped, garbled))}`,
        { build: { need: "change", effect: "bring it to partners" }, steps: [flawStep(source, garbled)] },
      );
    case "absent":
      return absent(facts, source.elsewhere, store);
  }
}

type Elsewhere = Extract<ProgramInSource, { readonly kind: "absent" }>["elsewhere"];

/** Neither partners nor the source have it under this id. */
function absent(
  { tenantId, programId, otherSpelling }: ProgramFacts,
  elsewhere: Elsewhere,
  { past, near }: LiveStore,
): Standing {
  if (otherSpelling !== null) {
    const { programId: id, answer, summary, next } = otherSpelling;
    const tell = "Tell the partner the right id, or to take ids from the list.";
    const right = forSupport(tell, explainCommand(tenantId, id));
    const nor = answer === 200 ? "" : ` Nor would that id help: ${summary}`;
    const now = `Partners get 404 for this id: the booking system writes it ${JSON.stringify(id)}, and ids are compared exactly, capitals and spaces too.${nor}`;
    const later = { ...right, text: `After that: ${tell}` };
    const steps = answer === 200 ? [right] : [...next.steps, later];
    return standing("missing_spelled", now, { steps });
  }
  const owner = elsewhere.find((found) => found.programId === programId) ?? elsewhere[0];
  if (owner !== undefined) {
    const now = `Partners of this tenant do not see it (404): the booking system has ${JSON.stringify(owner.programId)} under tenant ${owner.tenantId}, and an access key reads the programs of its own tenant only.`;
    const tell =
      "Do not tell this partner of another tenant's programs. See how it stands there, if that helps.";
    const steps = [forSupport(tell, explainCommand(owner.tenantId, owner.programId))];
    return standing("missing_elsewhere", now, { steps });
  }
  if (past?.kind === "removed" || past?.kind === "rolled_back") {
    const now = "Partners no longer see it (404): the booking system no longer has it.";
    const restore =
      "If it should still be sold, have it restored in the booking system; if not, tell the partner that it is gone.";
    return standing("missing_gone", now, { steps: [forSupport(restore)], isToBeCorrected: true });
  }
  const neither = "Partners get 404 for this id: neither the booking system nor what is published has it";
  if (near !== null) {
    const ask = "Ask the partner to take ids from the list.";
    const steps = [forSupport(ask, explainCommand(tenantId, near))];
    return standing("missing_near", `${neither}.${didYouMean(near)}`, { steps });
  }
  const check =
    "Check the id: partners take it from the list, and it may differ from the number in the booking system.";
  const steps = [forSupport(check, listCommand(tenantId))];
  return standing("missing_unknown", `${neither}, nor an id like it.`, { steps });
}
