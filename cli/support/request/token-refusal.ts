import type { CauseCode } from "../../../core/cause-code.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { forOperations, forSupport, nextStep, type Step } from "../next-step.ts";
import { endedToken } from "./ended-token.ts";
import type { RealCause, RequestFacts } from "./request-facts.ts";

/** Why an access key was refused with 401: its own history, where the gateway knew which one it was. */
export function tokenRefusal(facts: RequestFacts): RealCause {
  const { line, token } = facts;
  switch (token.kind) {
    case "none":
      return line.causeCode === "unknown_token" && facts.keys !== "some"
        ? unknownHere(facts.keys)
        : anonymous(line);
    case "foreign":
      return cause(
        `The log names the access key ${line.tokenId}, which is none of this installation's: the log is of a gateway with another store.`,
        forSupport("Run this with the gateway's STORE_URL.", "config"),
      );
    case "unavailable":
      return cause(
        `The gateway refused the access key ${line.tokenId} (${line.cause ?? "it noted no reason"}). More is not known, since the list of access keys could not be read: ${token.reason}`,
        forSupport("Ask again when the store answers.", "store check"),
      );
    case "known":
      return endedToken(facts, token.token, token.successors);
  }
}

/** W163: a store without a single access key says more about itself than about the partner's. */
function unknownHere(keys: Exclude<RequestFacts["keys"], "some">): RealCause {
  const why =
    keys === "none"
      ? "no access key was ever issued in this store: it is a new one, or not the one that is meant"
      : "the list of access keys cannot be read here";
  return cause(
    `The gateway did not know the access key, and ${why}. Nothing is said yet about the partner's key.`,
    forSupport("Escalate to operations; don't tell the partner yet that the access key is wrong."),
    forOperations("See which store this is, and which one the gateways go by.", "config", "store check"),
  );
}

/** The gateway did not know the access key. */
function anonymous({ causeCode, cause: noted }: RequestLogLine): RealCause {
  return (
    anonymousCauses.get(causeCode) ??
    cause(
      `The gateway refused the request: ${noted ?? "it noted no cause"}.`,
      forSupport("Ask the partner for the request as it was sent, without the access key."),
    )
  );
}

const anonymousCauses: ReadonlyMap<string | null, RealCause> = new Map<CauseCode, RealCause>([
  [
    "no_token",
    cause(
      "The request came without an access key: it had no header `Authorization: Bearer ...`.",
      forSupport(
        "Tell the partner to send the header; an access key in the address or in a cookie does not count. Ask also for proxies that drop the header.",
      ),
    ),
  ],
  [
    "unknown_token",
    cause(
      "The access key is whole, but was never issued here: it belongs to another installation, such as a test system.",
      forSupport("Ask the partner which address and which access key its program uses.", "token list"),
      forOperations("If the partner has none of this installation, issue one.", "token create --tenant ID"),
    ),
  ],
  [
    "malformed_token",
    cause(
      "The access key was incomplete or altered: cut off, mistyped, of another system, or sent twice.",
      forSupport(
        "Ask the partner to copy it again, whole: ppr_ and 49 letters and digits, after `Bearer` and a space. Don't have it rotated yet: that stops a working access key.",
        "token list",
      ),
    ),
  ],
]);

function cause(summary: string, ...steps: readonly Step[]): RealCause {
  return { summary, next: nextStep(...steps) };
}
