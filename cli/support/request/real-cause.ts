import type { RequestLogLine } from "../../gateway-log/request-line.ts";
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
      return line.route === "detail" ? programNotFound(facts) : unknownPath();
    case 405:
      return cause(
        `The method ${line.method ?? "of the request"} is not GET; the API is read-only. A browser's CORS preflight (OPTIONS) gets this, too.`,
        "Tell the partner to send GET, from a server: the API is not for browsers.",
      );
    case 429:
      return overLimit(facts);
    default:
      return serverFault(line);
  }
}

function served(line: RequestLogLine): RealCause {
  const what = line.programId === null ? "" : ` --program ${line.programId}`;
  const selector = line.route === "list" ? " --list" : line.route === "legacy" ? " --legacy" : what;
  return cause(
    "The partner got the whole answer, with the digest that the manifest states.",
    "To see the very bytes:",
    ...(line.tenantId === null || line.snapshotId === null
      ? []
      : [`snapshot show --tenant ${line.tenantId} --snapshot ${line.snapshotId}${selector} --raw`]),
  );
}

function cut(line: RequestLogLine): RealCause {
  if (line.causeCode === "too_many_waiting") {
    return cause(
      "The client sent request after request on one connection without waiting for answers, so the gateway ended it.",
      "Tell the partner to send the next request when the answer to the last one is there, and to use some connections side by side.",
    );
  }
  const why = line.cause === null ? "the client went away before it had the whole answer" : line.cause;
  return cause(
    `The connection ended before the answer did: ${why}. Nothing wrong was delivered as complete.`,
    line.cause === null
      ? "Look at the client's own timeout and at the proxies between it and the gateway."
      : "If it happens again, look whether the stored objects are whole.",
    ...(line.cause === null || line.tenantId === null ? [] : [`snapshot verify --tenant ${line.tenantId}`]),
  );
}

function malformed(line: RequestLogLine): RealCause {
  if (line.route === "detail") {
    return cause(
      "The id in the path is not well formed, so no program can have it: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit, percent-encoded at most once.",
      "Tell the partner to take ids from the list, character by character.",
      ...(line.tenantId === null ? [] : [`snapshot show --tenant ${line.tenantId} --list`]),
    );
  }
  return cause(
    `The request was no well-formed HTTP request (${line.cause ?? "malformed"}), so the connection was closed.`,
    "Look at the partner's HTTP client and at the proxies in between; a browser or curl would not send this.",
  );
}

function forbidden({ token }: RequestFacts): RealCause {
  const scopes = token.kind === "known" ? token.token.scopes.join(" ") || "none" : "others";
  const id = token.kind === "known" ? token.token.tokenId : undefined;
  return cause(
    `The token is good but lacks the scope programs.read; it has: ${scopes}.`,
    "Scopes never change. Issue a token with that scope, give it to the partner, and revoke this one.",
    ...(token.kind === "known" ? [`token create --tenant ${token.token.tenantId}`] : []),
    ...(id === undefined ? [] : [`token revoke ${id}`]),
  );
}

function programNotFound({ line, history }: RequestFacts): RealCause {
  const { programId, tenantId, snapshotId } = line;
  const explain =
    tenantId === null || programId === null
      ? []
      : [`snapshot explain --tenant ${tenantId} --program ${programId}`];
  const program = programId === null ? "the program" : `program ${programId}`;
  const base = `Snapshot ${snapshotId ?? "of that time"} does not have ${program}`;
  if (history === null || snapshotId === null) {
    return cause(`${base}; what other snapshots have is not known.`, "Ask why it is not served:", ...explain);
  }
  const { last, first, removedBy, isServed, snapshotsExamined } = history;
  if (first === null || last === null) {
    return cause(
      `${base}, nor does any of the ${snapshotsExamined} snapshots that are kept: for this tenant the id never existed, or long ago. A token of another tenant would get the same answer.`,
      "Ask why it is not served:",
      ...explain,
    );
  }
  // Snapshot ids begin with the time of the build.
  if (last.snapshotId < snapshotId) {
    const by = removedBy === null ? "a rollback" : `snapshot ${removedBy.snapshotId}`;
    return cause(
      `${base}: it was last in ${last.snapshotId} and was taken out by ${by}.`,
      "Ask why:",
      ...explain,
    );
  }
  return cause(
    `${base}: it came with ${first.snapshotId < snapshotId ? "a later snapshot again" : `snapshot ${first.snapshotId}`}${isServed ? " and is served now" : ""}.`,
    isServed ? "The partner can ask again; nothing else is to be done." : "Ask why it is not served:",
    ...(isServed ? [] : explain),
  );
}

function unknownPath(): RealCause {
  return cause(
    "The path names nothing that the API has. Paths are compared exactly: case, no slash at the end, no double slash. (The log does not keep paths, since clients put secrets into them.)",
    "Ask the partner for the exact URL: /v1/programs, /v1/programs/{id}, or the deprecated /api/v1/partner/programs.",
  );
}

function overLimit({ line, token }: RequestFacts): RealCause {
  const own = token.kind === "known" ? token.token.rateLimit : null;
  const limit = line.limit ?? own;
  const whose = own === null ? "the gateway's general limit, RATE_LIMIT_REQUESTS" : "the token's own limit";
  const tenantId = line.tenantId ?? undefined;
  return cause(
    `The token made more requests than ${limit === null ? "its limit allows" : `${limit} per window`} (${whose}). All resources count together, also answers 400, 403 and 404; the header Retry-After said when to go on.`,
    "Tell the partner to keep the answers for a while; the list is one request. If the use is legitimate, issue a token with a higher limit.",
    "token usage --log FILE",
    ...(tenantId === undefined ? [] : [`token create --tenant ${tenantId} --rate-limit N`]),
  );
}

function cause(summary: string, text: string, ...commands: readonly string[]): RealCause {
  return { summary, next: { text, commands } };
}
