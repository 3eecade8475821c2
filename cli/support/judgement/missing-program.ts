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
  tenantAdvice,
} from "./standing.ts";
import { explainCommand, forSupport, listCommand, type Step } from "./step.ts";

type LiveStore = Extract<ProgramInStore, { readonly kind: "live" }>;

export function missingProgram(facts: ProgramFacts, store: LiveStore): Standing {
  const { source, tenant, tenantId, garbled } = facts;
  const unseen = "Partners do not see it (404):";
  const base = { answer: 404 } as const;
  switch (source.kind) {
    case "unavailable":
      return {
        ...base,
        name: "missing_unchecked",
        verdict: "unserved_unchecked",
        now: `${unseen} it is not among what is published. Why is not known: the booking system could not be asked.${didYouMean(store.near)}`,
        steps: [
          forSupport(askAgain, ...(store.near === null ? [] : [explainCommand(tenantId, store.near)])),
          mendViews,
        ],
      };
    case "tenant_unknown":
      return {
        ...base,
        name: "missing_unlisted",
        verdict: "unknown_tenant",
        now: `${unseen} it is not among what is published, and the booking system does not list tenant ${tenantId}, so builds pass the tenant over.`,
        steps: [forSupport(tenantAdvice, "source check")],
      };
    case "not_publishable":
      return {
        ...base,
        name: "missing_unpublishable",
        verdict: "not_publishable",
        now: `${unseen} ${unpublishedState(source)}`,
        isToBeCorrected: true,
        steps: [activation(source)],
      };
    case "invalid": {
      const stops = tenant.lastRun?.onInvalid === "fail";
      const stopping = stops ? ", and builds of this tenant stop at such a fault" : "";
      return {
        ...base,
        name: stops ? "missing_stopping" : "missing_faulty",
        verdict: "invalid",
        now: `${unseen} what the booking system has cannot be published${stopping}. ${problemList(source.problems)}`,
        isToBeCorrected: true,
        steps: [correction(source.problems)],
      };
    }
    case "publishable":
      return {
        ...base,
        name: "missing_waiting",
        verdict: "waiting",
        now: `${unseen} the booking system has it, fit to be published, but what is published was built without it.${flawed(flawWords(source.dropped, garbled))}`,
        build: { need: "change", effect: "bring it to partners" },
        steps: [flawStep(source, garbled)],
      };
    case "absent":
      return absent(facts, source.elsewhere, store);
  }
}

function absent(
  { tenantId, programId, spelled }: ProgramFacts,
  elsewhere: Extract<ProgramInSource, { readonly kind: "absent" }>["elsewhere"],
  { history, near }: LiveStore,
): Standing {
  const base = { answer: 404, verdict: "unknown_program" } as const;
  if (spelled !== null) {
    const { programId: id, answer, summary, next } = spelled;
    const right = forSupport(
      "Tell the partner the right id, or to take ids from the list.",
      explainCommand(tenantId, id),
    );
    return {
      ...base,
      name: "missing_spelled",
      now: `Partners get 404 for this id: the booking system writes it ${JSON.stringify(id)}, and ids are compared exactly, capitals and spaces too.${answer === 200 ? "" : ` Nor would that id help: ${summary}`}`,
      steps: answer === 200 ? [right] : [...next.steps, { ...right, text: `After that: ${right.text}` }],
    };
  }
  const owner = elsewhere.find((found) => found.programId === programId) ?? elsewhere[0];
  if (owner !== undefined) {
    return {
      ...base,
      name: "missing_elsewhere",
      now: `Partners of this tenant do not see it (404): the booking system has ${JSON.stringify(owner.programId)} under tenant ${owner.tenantId}, and an access key reads the programs of its own tenant only.`,
      steps: [
        forSupport(
          "Do not tell this partner of another tenant's programs. See how it stands there, if that helps.",
          explainCommand(owner.tenantId, owner.programId),
        ),
      ],
    };
  }
  if (history.last !== null) {
    return {
      ...base,
      name: "missing_gone",
      now: "Partners no longer see it (404): the booking system no longer has it.",
      isToBeCorrected: true,
      steps: [
        forSupport(
          "If it should still be sold, have it restored in the booking system; if not, tell the partner that it is gone.",
        ),
      ],
    };
  }
  const unknown = "Partners get 404 for this id: neither the booking system nor what is published has it";
  return near === null
    ? {
        ...base,
        name: "missing_unknown",
        now: `${unknown}, nor an id like it.`,
        steps: [
          forSupport(
            "Check the id: partners take it from the list, and it may differ from the number in the booking system.",
            listCommand(tenantId),
          ),
        ],
      }
    : {
        ...base,
        name: "missing_near",
        now: `${unknown}.${didYouMean(near)}`,
        steps: [forSupport("Ask the partner to take ids from the list.", explainCommand(tenantId, near))],
      };
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
