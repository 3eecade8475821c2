import { plainTime, type Reader } from "../../output/times.ts";
import {
  activation,
  correction,
  flawStep,
  problemList,
  unpublishedState,
  unseenThen,
} from "./problem-words.ts";
import { askAgain, mendViews, nothingToDo, removedSteps, sandboxSteps, tenantAdvice } from "./remedies.ts";
import { type ProgramFacts, type Standing, standing } from "./standing.ts";
import { explainCommand, forOperations, forSupport, listCommand, type Step } from "./step.ts";

// The cases in which it is not the program that decides: its tenant or its id does.

export function unpublished(facts: ProgramFacts, isStore: boolean): Standing {
  const { tenantId, source, garbled } = facts;
  // A build in a place that is no store would begin a new one there, and help no partner (W160, W162).
  const nothing: typeof standing = (name, now, more) =>
    isStore ? standing(name, now, more) : standing(name, noStore.now, { steps: noStore.steps });
  const everything = `Partners get 500 (internal error) for everything: nothing is published for tenant ${tenantId}.`;
  const first = (text: string, steps: readonly (Step | undefined)[]): Standing => {
    const effect = text === "" ? "publish it for the first time" : "publish the tenant without it";
    const build = { need: "change", effect } as const;
    return nothing(isStore ? "unpublished" : "unpublished/none", `${everything}${text}`, { build, steps });
  };
  switch (source.kind) {
    case "tenant_unknown":
      return nothing(
        "unpublished_unlisted",
        `There is no tenant ${tenantId}: the booking system does not list it, and nothing is published for it. With an access key for it partners get 500 (internal error) for everything.`,
        { steps: [forSupport(tenantAdvice, "source check")] },
      );
    case "unavailable":
      return nothing(
        "unpublished_unchecked",
        `${everything} Whether there is such a tenant is not known: the booking system could not be asked.`,
        { steps: [forSupport(`Check the tenant's id. ${askAgain}`), mendViews] },
      );
    case "invalid": {
      const why = `${problemList(source.problems)}${unseenThen(source)}`;
      const text = ` A build leaves this program out, for what the booking system has cannot be published. ${why}`;
      return first(text, [correction(source.problems), flawStep(source, garbled)]);
    }
    case "not_publishable":
      return first(` A build leaves this program out: ${unpublishedState(source)}`, [activation(source)]);
    case "absent": {
      const check = "Check the id: it may differ from the number in the booking system.";
      const text = " The booking system has no program of this id for this tenant.";
      return first(text, [forSupport(check, `source preview --tenant ${tenantId}`)]);
    }
    case "publishable":
      return first("", [flawStep(source, garbled)]);
  }
}

const noStore = {
  now: "There is no store in that place, so nobody can say what partners get. Gateways that had their store there serve what they still hold, of an older snapshot, and answer 500 to everything else; their log says since when.",
  steps: [
    forOperations(
      "If partners were served before, check STORE_URL and whether the volume is mounted. A new installation begins with its first build.",
      "store check",
    ),
  ],
};

/** The sandbox is published once and stays as it is, so neither a build nor the booking system changes anything. */
export function inSandbox({ tenantId, store, source }: ProgramFacts): Standing {
  if (store.kind !== "live") {
    const why = store.kind === "damaged" ? "a published file is damaged" : "nothing is published";
    const now = `Partners get 500 (internal error) for the sandbox: ${why}.`;
    return standing(store.kind, now, { steps: sandboxSteps });
  }
  if (store.served !== null) {
    const now = "Partners see it: a program of the sandbox, which `sandbox init` published once.";
    return standing("served_same", now, { steps: [nothingToDo] });
  }
  const steps = [forSupport("Ask the partner to take ids from the list.", listCommand(tenantId))];
  if (source.kind === "not_publishable") {
    const now = `Partners do not see it (404): the sandbox has it as ${JSON.stringify(source.state)}, to show that such programs are not published.`;
    return standing("missing_unpublishable", now, { steps });
  }
  const now = `Partners get 404 for this id: the sandbox has no such program.${didYouMean(store.near)}`;
  return standing("missing_unknown", now, { steps });
}

/** A removed tenant's partners get nothing, whatever is still stored (P91). */
export function removedTenant(
  { tenantId, source }: ProgramFacts,
  removedAt: string,
  reader: Reader,
): Standing {
  const isListed = source.kind !== "tenant_unknown" && source.kind !== "unavailable";
  const again = isListed ? " The booking system lists the tenant again." : "";
  const now = `Partners get 401 (unauthorized) for everything: tenant ${tenantId} was removed on ${plainTime(removedAt, reader)}, and its access keys ended with it.${again}`;
  return standing("removed", now, { steps: removedSteps(tenantId, isListed) });
}

export function malformedId({ programId, tenantId, source, store }: ProgramFacts): Standing {
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
  return standing("malformed_id", now, { steps: [step] });
}

export function didYouMean(near: string | null): string {
  return near === null ? "" : ` Did you mean ${near}, which partners see?`;
}
