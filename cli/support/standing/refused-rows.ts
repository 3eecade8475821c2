import { forOperations, forSupport } from "../next-step.ts";
import { plainTime } from "../plain-time.ts";
import { askAgain, didYouMean, explainCommand, listCommand, mendViews, tenantAdvice } from "./row-phrases.ts";
import { type Rows, settled, waiting } from "./standing-row.ts";

/** What partners get neither a program nor a 404 for. */
export const refusedRows: Rows<
  "malformed_id" | "removed" | "damaged" | "unpublished" | "unpublished_unlisted" | "unpublished_unchecked"
> = {
  malformed_id: {
    answer: 400,
    verdict: "malformed_id",
    now: ({ near, isInSource }, { programId }) =>
      `Partners get 400 (invalid request): ${JSON.stringify(programId)} cannot be the id of a program.${isInSource ? " The booking system has a program with this id; it cannot be published under it." : ""}${near === null ? "" : didYouMean(near)}`,
    after: settled(({ near }, { tenantId }) => [
      forSupport(
        "Partners take ids from the list, character by character: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit.",
        near === null ? listCommand(tenantId) : explainCommand(tenantId, near),
      ),
    ]),
  },
  removed: {
    answer: 401,
    verdict: "removed_tenant",
    now: ({ removedAt, isListed }, { tenantId }) =>
      `Partners get 401 (unauthorized) for everything: tenant ${tenantId} was removed on ${plainTime(removedAt)}, and its access keys ended with it.${isListed ? " The booking system lists the tenant again." : ""}`,
    after: settled(({ isListed }, { tenantId }) => [
      forSupport(
        "Find out why it was removed before you promise anything.",
        `audit list --tenant ${tenantId}`,
      ),
      forOperations(
        isListed
          ? "If it should be sold again, build it and issue new access keys."
          : "If it should be sold again, list it in the view partner_source.tenants, build it, and issue new access keys.",
        `snapshot build --tenant ${tenantId}`,
        `token create --tenant ${tenantId}`,
      ),
    ]),
  },
  damaged: {
    answer: 500,
    verdict: "damaged_store",
    now: () => "Partners get 500 (internal error): a published file is damaged.",
    after: settled(({ isHeld }, { tenantId }) => [
      forSupport("Escalate to operations at once; the technical detail is below."),
      forOperations(
        isHeld
          ? "Find out how much is damaged. The tenant is held, so no build mends it: make another snapshot live, or end the hold and write every file anew."
          : "Find out how much is damaged; then write every file anew, or make an earlier snapshot live.",
        `snapshot verify --tenant ${tenantId}`,
        ...(isHeld ? [`snapshot release --tenant ${tenantId}`] : []),
        `snapshot build --tenant ${tenantId} --rewrite`,
        `snapshot rollback --tenant ${tenantId}`,
      ),
    ]),
  },
  unpublished: {
    answer: 500,
    verdict: "unpublished_tenant",
    now: (_, { tenantId }) =>
      `Partners get 500 (internal error) for everything: nothing is published for tenant ${tenantId}.`,
    after: waiting("change", "publish it for the first time"),
  },
  unpublished_unlisted: {
    answer: 500,
    verdict: "unknown_tenant",
    now: (_, { tenantId }) =>
      `There is no tenant ${tenantId}: the booking system does not list it, and nothing is published for it. With an access key for it partners get 500 (internal error) for everything.`,
    after: settled(() => [forSupport(tenantAdvice, "source check")]),
  },
  unpublished_unchecked: {
    answer: 500,
    verdict: "unpublished_tenant",
    now: (_, { tenantId }) =>
      `Partners get 500 (internal error) for everything: nothing is published for tenant ${tenantId}. Whether there is such a tenant is not known: the booking system could not be asked.`,
    after: settled(() => [forSupport(`Check the tenant's id. ${askAgain}`), mendViews]),
  },
};
