import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { forOperations, forSupport, nextStep, type Step } from "../next-step.ts";
import { shellWord } from "../shell-word.ts";
import { programMissed } from "./program-missed.ts";
import type { RealCause, RequestFacts } from "./request-facts.ts";
import { serverFault } from "./server-fault.ts";
import { tokenRefusal } from "./token-refusal.ts";

/** Judges the facts. Pure. */
export function realCause(facts: RequestFacts): RealCause {
  const { line } = facts;
  if (line.isCut) return cut(line);
  switch (line.status) {
    case 200:
      return served(line);
    case 400:
      return malformed(line);
    case 401:
      return tokenRefusal(facts);
    case 403:
      return forbidden(facts);
    case 404:
      return line.route === "detail" ? programMissed(line, facts.miss) : unknownPath();
    case 405:
      return cause(
        `The request was ${line.method ?? "of another method"}; the API only reads, by GET. A browser's own check (OPTIONS) gets this, too.`,
        forSupport("Tell the partner to send GET, from a server: the API is not for browsers."),
      );
    case 429:
      return overLimit(facts);
    default:
      return serverFault(line);
  }
}

function served(line: RequestLogLine): RealCause {
  const what = line.programId === null ? "" : ` --program ${shellWord(line.programId)}`;
  const selector = line.route === "list" ? " --list" : line.route === "legacy" ? " --legacy" : what;
  if (line.unconfirmedSince !== null) {
    return cause(
      `The partner got a whole answer, ${unconfirmedWords(line)}.`,
      forSupport("Escalate to operations: partners get older data now, and errors when it lasts."),
      forOperations("See whether the store is there, and the one that is meant.", "store check"),
    );
  }
  return cause(
    "The partner got the whole answer, byte for byte as it was published.",
    forSupport(
      "To see what the partner got:",
      ...(line.tenantId === null || line.snapshotId === null
        ? []
        : [`snapshot show --tenant ${line.tenantId} --snapshot ${line.snapshotId}${selector}`]),
    ),
  );
}

function cut(line: RequestLogLine): RealCause {
  if (line.causeCode === "too_many_waiting") {
    return cause(
      "The partner's program sent request after request on one connection without waiting for answers, so the gateway ended it.",
      forSupport(
        "Tell the partner to send the next request when the answer to the last one is there, and to use some connections side by side.",
      ),
    );
  }
  if (line.cause === null || line.causeCode === "client_left") {
    return cause(
      "The partner's side ended the connection before it had the whole answer. Nothing wrong was delivered as complete.",
      forSupport("Ask the partner for the timeout of its program, and for proxies in between."),
    );
  }
  return cause(
    "The gateway ended the connection before the answer was complete, so that nothing wrong was delivered as complete. Technical detail below.",
    forSupport(
      "If it happens again, escalate to operations: a published file may be damaged.",
      ...(line.tenantId === null ? [] : [`snapshot verify --tenant ${line.tenantId}`]),
    ),
  );
}

function malformed(line: RequestLogLine): RealCause {
  if (line.route === "detail") {
    return cause(
      "What the partner asked for cannot be the id of a program: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit, percent-encoded at most once.",
      forSupport(
        "Tell the partner to take ids from the list, character by character.",
        ...(line.tenantId === null ? [] : [`snapshot show --tenant ${line.tenantId} --list`]),
      ),
    );
  }
  return cause(
    `What arrived was no proper HTTP request (${line.cause ?? "malformed"}), so the gateway closed the connection.`,
    forSupport(
      "Ask the partner which program sends it, and for proxies in between; a browser or curl would not send this.",
    ),
  );
}

function forbidden({ token }: RequestFacts): RealCause {
  const known = token.kind === "known" ? token.token : undefined;
  const scopes = known === undefined ? "others" : known.scopes.join(" ") || "none";
  return cause(
    `The access key is good but does not give the right to read programs (scope programs.read); it has: ${scopes}.`,
    forSupport("Ask operations for another access key; what a key gives a right to never changes."),
    forOperations(
      "Issue an access key with that right, hand it to the partner, and revoke this one when the partner has changed over.",
      ...(known === undefined
        ? []
        : [`token create --tenant ${known.tenantId}`, `token revoke ${known.tokenId}`]),
    ),
  );
}

function unknownPath(): RealCause {
  return cause(
    "The address is none that the API has. Addresses are compared exactly: capitals, no slash at the end, no double slash. (The log does not keep addresses, since some programs put secrets into them.)",
    forSupport(
      "Ask the partner for the exact address: /v1/programs, /v1/programs/{id}, or the deprecated /api/v1/partner/programs, which has no addresses with ids.",
    ),
  );
}

function overLimit({ line, token }: RequestFacts): RealCause {
  const own = token.kind === "known" ? token.token.rateLimit : null;
  const limit = line.limit ?? own;
  // Where the list of access keys cannot be read, nobody knows which it was.
  const whose =
    token.kind !== "known"
      ? ""
      : own === null
        ? " (the limit of all, RATE_LIMIT_REQUESTS)"
        : " (the access key's own limit)";
  return cause(
    `The access key made more requests than ${limit === null ? "its limit allows" : `${limit} in the time of a window`}${whose}. All requests count together, also those answered 400, 403 and 404; the header Retry-After said when to go on.`,
    forSupport(
      "Tell the partner to keep answers for a while; all programs are one request for the list.",
      "token usage --log FILE",
    ),
    forOperations(
      "If the partner's need is real, issue an access key with a higher limit.",
      ...(line.tenantId === null ? [] : [`token create --tenant ${line.tenantId} --rate-limit N`]),
    ),
  );
}

function cause(summary: string, ...steps: readonly Step[]): RealCause {
  return { summary, next: nextStep(...steps) };
}

/** W162: why an answer may be old, of a line that has `unconfirmedSince`. */
export function unconfirmedWords({ unconfirmedSince, unconfirmedCode }: RequestLogLine): string {
  const isStore = unconfirmedCode?.startsWith("store_") === true || unconfirmedCode === "settings";
  const what = isStore ? "the store cannot be reached" : "the gateway cannot confirm the tenant's snapshot";
  return `of an older snapshot: ${what} since ${unconfirmedSince?.replace(/\.\d+Z$/, "Z")}`;
}
