import type { ProgramInSource } from "../facts/program-in-source.ts";
import type { ProgramInStore } from "../facts/program-in-store.ts";
import { correction, flawWords, problemList } from "./problem-words.ts";
import {
  askAgain,
  didYouMean,
  flawed,
  flawStep,
  mendViews,
  type ProgramFacts,
  type Standing,
  standing,
  tenantAdvice,
} from "./standing.ts";
import { explainCommand, forSupport, listCommand, type Step } from "./step.ts";

type LiveStore = Extract<ProgramInStore, { readonly kind: "live" }>;

export function missingProgram(facts: ProgramFacts, store: LiveStore): Standing {
  const { source, tenant, tenantId, garbled } = facts;
  const unseen = "Partners do not see it (404):";
  switch (source.kind) {
    case "unavailable": {
      const now = `${unseen} it is not among what is published. Why is not known: the booking system could not be asked.${didYouMean(store.near)}`;
      const near = store.near !== null && explainCommand(tenantId, store.near);
      const steps = [forSupport(askAgain, near), mendViews];
      return standing(404, "missing_unchecked", "unserved_unchecked", now, { steps });
    }
    case "tenant_unknown": {
      const now = `${unseen} it is not among what is published, and the booking system does not list tenant ${tenantId}, so builds pass the tenant over.`;
      const steps = [forSupport(tenantAdvice, "source check")];
      return standing(404, "missing_unlisted", "unknown_tenant", now, { steps });
    }
    case "not_publishable": {
      const now = `${unseen} ${unpublishedState(source)}`;
      const steps = [activation(source)];
      return standing(404, "missing_unpublishable", "not_publishable", now, { isToBeCorrected: true, steps });
    }
    case "invalid": {
      const stops = tenant.lastRun?.onInvalid === "fail";
      const stopping = stops ? ", and builds of this tenant stop at such a fault" : "";
      const now = `${unseen} what the booking system has cannot be published${stopping}. ${problemList(source.problems)}`;
      const steps = [correction(source.problems)];
      const name = stops ? "missing_stopping" : "missing_faulty";
      return standing(404, name, "invalid", now, { isToBeCorrected: true, steps });
    }
    case "publishable": {
      const now = `${unseen} the booking system has it, fit to be published, but what is published was built without it.${flawed(flawWords(source.dropped, garbled))}`;
      return standing(404, "missing_waiting", "waiting", now, {
        build: { need: "change", effect: "bring it to partners" },
        steps: [flawStep(source, garbled)],
      });
    }
    case "absent":
      return absent(facts, source.elsewhere, store);
  }
}

function absent(
  { tenantId, programId, spelled }: ProgramFacts,
  elsewhere: Extract<ProgramInSource, { readonly kind: "absent" }>["elsewhere"],
  { past, near }: LiveStore,
): Standing {
  const missing = (name: string, now: string, steps: readonly Step[], isToBeCorrected = false): Standing =>
    standing(404, name, "unknown_program", now, { steps, isToBeCorrected });
  if (spelled !== null) {
    const { programId: id, answer, summary, next } = spelled;
    const right = forSupport(
      "Tell the partner the right id, or to take ids from the list.",
      explainCommand(tenantId, id),
    );
    const nor = answer === 200 ? "" : ` Nor would that id help: ${summary}`;
    const now = `Partners get 404 for this id: the booking system writes it ${JSON.stringify(id)}, and ids are compared exactly, capitals and spaces too.${nor}`;
    const later = { ...right, text: `After that: ${right.text}` };
    return missing("missing_spelled", now, answer === 200 ? [right] : [...next.steps, later]);
  }
  const owner = elsewhere.find((found) => found.programId === programId) ?? elsewhere[0];
  if (owner !== undefined) {
    const now = `Partners of this tenant do not see it (404): the booking system has ${JSON.stringify(owner.programId)} under tenant ${owner.tenantId}, and an access key reads the programs of its own tenant only.`;
    const step = forSupport(
      "Do not tell this partner of another tenant's programs. See how it stands there, if that helps.",
      explainCommand(owner.tenantId, owner.programId),
    );
    return missing("missing_elsewhere", now, [step]);
  }
  if (past?.kind === "removed" || past?.kind === "rolled_back") {
    const now = "Partners no longer see it (404): the booking system no longer has it.";
    const restore =
      "If it should still be sold, have it restored in the booking system; if not, tell the partner that it is gone.";
    return missing("missing_gone", now, [forSupport(restore)], true);
  }
  const unknown = "Partners get 404 for this id: neither the booking system nor what is published has it";
  if (near !== null) {
    const step = forSupport("Ask the partner to take ids from the list.", explainCommand(tenantId, near));
    return missing("missing_near", `${unknown}.${didYouMean(near)}`, [step]);
  }
  const step = forSupport(
    "Check the id: partners take it from the list, and it may differ from the number in the booking system.",
    listCommand(tenantId),
  );
  return missing("missing_unknown", `${unknown}, nor an id like it.`, [step]);
}

type NotPublishable = Extract<ProgramInSource, { readonly kind: "not_publishable" }>;

export function unpublishedState({ state, ifActive }: NotPublishable): string {
  const either =
    ifActive.length === 0 ? "" : ` Set to active, it could not be published either. ${problemList(ifActive)}`;
  return `the booking system calls it ${JSON.stringify(state)}, and only active programs are published.${either}`;
}

/** Names all that has to be changed before the program can be published. */
export function activation({ state, ifActive, lastDay }: NotPublishable): Step {
  const dates =
    state === "ended" && lastDay !== null
      ? `, with travel dates that are not past (its last day is ${lastDay}; a booking system may call it ended for that alone)`
      : "";
  const also = ifActive.length === 0 ? "" : ` ${correction(ifActive).text}`;
  return forSupport(`If it should be sold, have it set to active in the booking system${dates}.${also}`);
}
