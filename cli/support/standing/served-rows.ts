import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { forOperations, forSupport } from "../next-step.ts";
import { askAgain, correction, mendViews, problemList } from "./row-phrases.ts";
import { correcting, type Rows, settled, waiting } from "./standing-row.ts";

/** Programs that partners see. */
export const servedRows: Rows<
  | "served_same"
  | "served_dropped"
  | "served_unchecked"
  | "served_unlisted"
  | "served_differs"
  | "served_absent"
  | "served_withdrawn"
  | "served_faulty"
  | "served_stopping"
> = {
  served_same: {
    answer: 200,
    verdict: "served",
    now: () => "Partners see it, exactly as the booking system has it now.",
    after: settled(() => [
      forSupport(
        "Nothing is to be done. If the partner sees something else, ask for the X-Request-Id of the answer.",
        "request explain REQUEST_ID --log FILE",
      ),
    ]),
  },
  served_dropped: {
    answer: 200,
    verdict: "served",
    now: ({ dropped }) =>
      `Partners see it as the booking system has it now, but for ${dropped.length === 1 ? "one value" : `${dropped.length} values`} that ${dropped.length === 1 ? "is" : "are"} not published, by rule: ${problemList(dropped)}`,
    after: correcting(() =>
      forSupport("If a value above should be seen, have it corrected in the booking system."),
    ),
  },
  served_unchecked: {
    answer: 200,
    verdict: "served_unchecked",
    now: () =>
      "Partners see it. Whether the booking system says something else by now is not known: it could not be asked.",
    after: settled(() => [forSupport(askAgain), mendViews]),
  },
  served_unlisted: {
    answer: 200,
    verdict: "served_unlisted",
    now: (_, { tenantId }) =>
      `Partners see it as it was last published, though the booking system no longer lists tenant ${tenantId}; builds pass the tenant over.`,
    after: settled((_, { tenantId }) => [
      forSupport("Find out whether the tenant should still be sold."),
      forOperations(
        "If so, list it in the view partner_source.tenants again; if not, revoke its access keys.",
        `token list --tenant ${tenantId}`,
      ),
    ]),
  },
  served_differs: {
    answer: 200,
    verdict: "served_outdated",
    now: ({ changes }) =>
      `Partners see an older version; the booking system has changed since (${[...new Set(changes.map(({ path }) => fieldLabel(path.split(/[.[]/)[0] ?? path)))].join(", ")}).`,
    after: waiting("change", "bring partners the new version"),
  },
  served_absent: {
    answer: 200,
    verdict: "served_leaving",
    now: () => "Partners still see it, though the booking system no longer has it.",
    after: waiting("loss", "take it out"),
  },
  served_withdrawn: {
    answer: 200,
    verdict: "served_leaving",
    now: ({ state }) =>
      `Partners still see it, though the booking system calls it ${JSON.stringify(state)} now.`,
    after: waiting("withdrawal", "take it out"),
  },
  served_faulty: {
    answer: 200,
    verdict: "served_invalid",
    now: ({ problems }) =>
      `Partners see it as it was; what the booking system has now cannot be published: ${problemList(problems)}`,
    after: {
      ...waiting("loss", "leave it out, so that partners no longer see it"),
      first: ({ problems }) => correction(problems),
    },
  },
  served_stopping: {
    answer: 200,
    verdict: "served_invalid",
    now: ({ problems }) =>
      `Partners see it as it was; what the booking system has now cannot be published, and builds of this tenant stop at such a fault: ${problemList(problems)}`,
    after: correcting(({ problems }) => correction(problems)),
  },
};
