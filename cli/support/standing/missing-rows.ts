import { forSupport } from "../next-step.ts";
import {
  askAgain,
  correction,
  didYouMean,
  explainCommand,
  listCommand,
  mendViews,
  problemList,
  tenantAdvice,
} from "./row-phrases.ts";
import { correcting, type Rows, settled, waiting } from "./standing-row.ts";

/** Programs that the live snapshot does not have. */
export const missingRows: Rows<
  | "missing_waiting"
  | "missing_unpublishable"
  | "missing_faulty"
  | "missing_stopping"
  | "missing_unchecked"
  | "missing_unlisted"
  | "missing_spelled"
  | "missing_elsewhere"
  | "missing_gone"
  | "missing_near"
  | "missing_unknown"
> = {
  missing_waiting: {
    answer: 404,
    verdict: "waiting",
    now: () =>
      "Partners do not see it (404): the booking system has it, fit to be published, but what is published was built without it.",
    after: waiting("change", "bring it to partners"),
  },
  missing_unpublishable: {
    answer: 404,
    verdict: "not_publishable",
    now: ({ state }) =>
      `Partners do not see it (404): the booking system calls it ${JSON.stringify(state)}, and only active programs are published.`,
    after: correcting(() => forSupport("If it should be sold, have it set to active in the booking system.")),
  },
  missing_faulty: {
    answer: 404,
    verdict: "invalid",
    now: ({ problems }) =>
      `Partners do not see it (404): what the booking system has cannot be published. ${problemList(problems)}`,
    after: correcting(({ problems }) => correction(problems)),
  },
  missing_stopping: {
    answer: 404,
    verdict: "invalid",
    now: ({ problems }) =>
      `Partners do not see it (404): what the booking system has cannot be published, and builds of this tenant stop at such a fault. ${problemList(problems)}`,
    after: correcting(({ problems }) => correction(problems)),
  },
  missing_unchecked: {
    answer: 404,
    verdict: "unserved_unchecked",
    now: ({ near }) =>
      `Partners do not see it (404): it is not among what is published. Why is not known: the booking system could not be asked.${near === null ? "" : didYouMean(near)}`,
    after: settled(({ near }, { tenantId }) => [
      forSupport(askAgain, ...(near === null ? [] : [explainCommand(tenantId, near)])),
      mendViews,
    ]),
  },
  missing_unlisted: {
    answer: 404,
    verdict: "unknown_tenant",
    now: (_, { tenantId }) =>
      `Partners do not see it (404): it is not among what is published, and the booking system does not list tenant ${tenantId}, so builds pass the tenant over.`,
    after: settled(() => [forSupport(tenantAdvice, "source check")]),
  },
  missing_spelled: {
    answer: 404,
    verdict: "unknown_program",
    now: ({ spelled }) =>
      `Partners get 404 for this id: the booking system writes it ${JSON.stringify(spelled)}, and ids are compared exactly, capitals and spaces too.`,
    after: settled(({ spelled }, { tenantId }) => [
      forSupport(
        "Tell the partner the right id, or to take ids from the list.",
        explainCommand(tenantId, spelled),
      ),
    ]),
  },
  missing_elsewhere: {
    answer: 404,
    verdict: "unknown_program",
    now: ({ owner, ownersId }) =>
      `Partners of this tenant do not see it (404): the booking system has ${JSON.stringify(ownersId)} under tenant ${owner}, and an access key reads the programs of its own tenant only.`,
    after: settled(({ owner, ownersId }) => [
      forSupport(
        "Do not tell this partner of another tenant's programs. See how it stands there, if that helps.",
        explainCommand(owner, ownersId),
      ),
    ]),
  },
  missing_gone: {
    answer: 404,
    verdict: "unknown_program",
    now: () => "Partners no longer see it (404): the booking system no longer has it.",
    after: correcting(() =>
      forSupport(
        "If it should still be sold, have it restored in the booking system; if not, tell the partner that it is gone.",
      ),
    ),
  },
  missing_near: {
    answer: 404,
    verdict: "unknown_program",
    now: ({ near }) =>
      `Partners get 404 for this id: neither the booking system nor what is published has it.${didYouMean(near)}`,
    after: settled(({ near }, { tenantId }) => [
      forSupport("Ask the partner to take ids from the list.", explainCommand(tenantId, near)),
    ]),
  },
  missing_unknown: {
    answer: 404,
    verdict: "unknown_program",
    now: () =>
      "Partners get 404 for this id: neither the booking system nor what is published has it, nor an id like it.",
    after: settled((_, { tenantId }) => [
      forSupport(
        "Check the id: partners take it from the list, and it may differ from the number in the booking system.",
        listCommand(tenantId),
      ),
    ]),
  },
};
