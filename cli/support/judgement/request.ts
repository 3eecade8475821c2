import { plainTime, type Reader } from "../../output/words.ts";
import type { ProgramPast } from "../../read/snapshots/program-past.ts";
import { olderSnapshot } from "./partner-concerns.ts";
import { type RequestCase, refusedKey, requestCase, serverFault } from "./refused-request.ts";
import type { RequestFacts } from "./request-facts.ts";
import {
  type Command,
  command,
  commandTo,
  forOperations,
  forSupport,
  type Judgement,
  nextStep,
} from "./steps.ts";

/** Explains a request's answer to somebody who reads neither code nor specification. Pure. */
export function judgedRequest(facts: RequestFacts, reader: Reader): Judgement {
  const { summary, steps } = caseOf(facts, reader);
  return { summary, next: nextStep(steps) };
}

/** A message that can be sent to the partner unchanged. Times are in UTC. */
export function partnerMessage(facts: RequestFacts, now: Date): string {
  const { time, programId, requestId, status } = facts.line;
  const minute = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  const what = programId === null ? "" : ` for program ${programId}`;
  const { toPartner } = caseOf(facts, { now, zone: "UTC" });
  return `Your request ${requestId} of ${minute}${what} was answered with ${status}. ${toPartner}`;
}

/** The table of cases, by status and cause. */
function caseOf(facts: RequestFacts, reader: Reader): RequestCase {
  const { line } = facts;
  if (line.isCut) return cut(facts);
  switch (line.status) {
    case 200:
      return served(facts, reader);
    case 400:
      return malformed(facts);
    case 401:
      return refusedKey(facts, reader);
    case 403:
      return withoutScope(facts, reader);
    case 404:
      return line.route === "detail" ? missing(facts, reader) : unknownPath;
    case 405:
      return requestCase(
        `The request was ${line.method ?? "of another method"}; the API only reads, by GET. A browser's own check (OPTIONS) gets this, too.`,
        "The API is read-only. Please send GET, from a server.",
        forSupport("Tell the partner to send GET, from a server: the API is not for browsers."),
      );
    case 429:
      return overLimit(facts);
    default:
      return serverFault(facts);
  }
}

function served(facts: RequestFacts, reader: Reader): RequestCase {
  const { line, snapshot } = facts;
  const { tenantId } = line;
  const whole = "It was delivered whole.";
  const since = keySince(facts, reader);
  if (snapshot?.kind === "not_kept" && line.unconfirmedSince === null) {
    const gone = "What the partner got cannot be shown any more. See what partners get now.";
    return requestCase(
      `The partner got the whole answer as it was published, of a snapshot that this store does not have: it was pruned since, or the gateway uses another store.${since}`,
      whole,
      forSupport(gone, tenantId === null ? "tenant list" : commandTo.list(tenantId)),
    );
  }
  const isKept = snapshot?.kind === "kept";
  const show = isKept && forSupport("To see what the partner got:", showCommand(facts));
  if (line.unconfirmedSince !== null) {
    return requestCase(
      `The partner got a whole answer, ${olderSnapshot(line, reader)}.${since}`,
      whole,
      forSupport("Escalate to operations: partners get older data, and errors when it lasts."),
      forOperations("See whether the store is there, and the one that is meant.", "store check"),
      show,
    );
  }
  const isEmpty = isKept && snapshot.programs === 0 && line.route !== "detail";
  const empty = isEmpty ? ": an empty list, since the snapshot had no program" : "";
  const check = isEmpty && forSupport("See whether that is so still, and why.", commandTo.status(tenantId));
  const summary = `The partner got the whole answer, byte for byte as it was published${empty}.${since}`;
  return requestCase(summary, whole, check, show);
}

/** A sentence about what became of the key since the request; empty when the key is still good. */
function keySince({ token: key, line, tenant }: RequestFacts, reader: Reader): string {
  if (key.kind !== "known") return "";
  const { tenantId, revokedAt, expiresAt } = key.token;
  const when = (at: string): string => plainTime(at, reader);
  if (line.tenantId !== null && line.tenantId !== tenantId) {
    return ` The access key is of tenant ${tenantId} now: it was moved from ${line.tenantId}.`;
  }
  const removal = tenant?.removal;
  if (removal != null) return ` Since then tenant ${tenantId} was removed, on ${when(removal.removedAt)}.`;
  if (revokedAt !== null) return ` Since then the access key was revoked, on ${when(revokedAt)}.`;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= reader.now.getTime();
  return isOver ? ` Since then the access key expired, on ${when(expiresAt)}.` : "";
}

function showCommand({ line: { tenantId, snapshotId, route, programId } }: RequestFacts): Command {
  const show = command`snapshot show --tenant ${{ tenantId }} --snapshot ${snapshotId}`;
  if (route === "list" || route === "legacy") return [...show, ` --${route}`];
  return programId === null ? show : [...show, ...command` --program ${programId}`];
}

function cut({ line }: RequestFacts): RequestCase {
  const toPartner = "The connection ended before you had the whole answer. Please send it again.";
  if (line.causeCode === "too_many_waiting") {
    const tell =
      "Tell the partner to send the next request when the answer to the last one is there, and to use some connections side by side.";
    const summary =
      "The partner's program sent request after request on one connection without waiting for answers, so the gateway ended it.";
    return requestCase(summary, toPartner, forSupport(tell));
  }
  if (line.cause === null || line.causeCode === "client_left") {
    const summary =
      "The partner's side ended the connection before it had the whole answer. Nothing wrong was delivered as complete.";
    const ask = "Ask the partner for the timeout of its program, and for proxies in between.";
    return requestCase(summary, toPartner, forSupport(ask));
  }
  const verify = line.tenantId !== null && command`snapshot verify --tenant ${{ tenantId: line.tenantId }}`;
  const summary =
    "The gateway ended the connection before the answer was complete, so that nothing wrong was delivered as complete. Technical detail below.";
  const escalate = "If it happens again, escalate to operations: a published file may be damaged.";
  return requestCase(summary, toPartner, forSupport(escalate, verify));
}

function malformed({ line }: RequestFacts): RequestCase {
  if (line.route === "detail") {
    const tell = "Tell the partner to take ids from the list, character by character.";
    return requestCase(
      "What the partner asked for cannot be the id of a program: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit, percent-encoded at most once.",
      "The program id in the address is not well formed. Please take ids from the list, character by character.",
      forSupport(tell, line.tenantId !== null && commandTo.list(line.tenantId)),
    );
  }
  if (line.cause === "HPE_HEADER_OVERFLOW") {
    const ask =
      "Ask the partner which headers its program sends: cookies that grow, or an access key that was put there many times.";
    return requestCase(
      "The headers of the request were larger than the 16 KiB that the gateway reads, so it was refused before its address was looked at.",
      "Its headers were larger than 16 KiB. Please send fewer or shorter ones.",
      forSupport(ask),
    );
  }
  const ask =
    "Ask the partner which program sends it, and for proxies in between; a browser or curl would not send this.";
  return requestCase(
    `What arrived was no proper HTTP request (${line.cause ?? "malformed"}), so the gateway closed the connection.`,
    "It was no well-formed HTTP request. Please check your HTTP client and the proxies in between.",
    forSupport(ask),
  );
}

function withoutScope(facts: RequestFacts, reader: Reader): RequestCase {
  const known = facts.token.kind === "known" ? facts.token.token : undefined;
  const scopes = known === undefined ? "others" : known.scopes.join(" ") || "none";
  const revoke = known?.revokedAt === null && command`token revoke ${known.tokenId}`;
  const over = revoke === false ? ", and hand it to the partner." : later;
  return requestCase(
    `The access key was good but does not give the right to read programs (scope programs.read); it has: ${scopes}.${keySince(facts, reader)}`,
    "Your access key may not read programs. We will give you another one.",
    forSupport("Ask operations for another access key; what a key gives a right to never changes."),
    forOperations(
      `Issue an access key with that right${over}`,
      known !== undefined && command`token create --tenant ${{ tenantId: known.tenantId }}`,
      revoke,
    ),
  );
}

const later = ", hand it to the partner, and revoke this one when the partner has changed over.";

function missing({ line, miss }: RequestFacts, reader: Reader): RequestCase {
  const { tenantId, programId } = line;
  const unseen = `Partners did not see ${programId === null ? "the program" : `program ${programId}`} then`;
  // Whoever asks by a wrong spelling gets 404 again, whatever becomes of the program.
  const spelling =
    miss?.now.otherSpelling == null ? "" : " Ids are compared exactly, capitals and spaces too.";
  const toPartner = `The program was not on offer at that time.${spelling} The list /v1/programs has all that are on offer now.`;
  if (miss === null) {
    const explain = tenantId !== null && programId !== null && commandTo.explain(tenantId, programId);
    const why =
      "Why could not be found out: nothing of its tenant is published any more, or it could not be read.";
    return requestCase(`${unseen}. ${why}`, toPartner, forSupport("Ask how it stands now.", explain));
  }
  const { atTheTime, now } = miss;
  const isThere = now.answer === 200 && atTheTime.kind !== "never";
  const again = forSupport("Tell the partner to ask again: partners see it now.");
  const summary = `${unseen}: ${pastWords(atTheTime, reader)} Now: ${now.summary}`;
  return requestCase(summary, toPartner, ...(isThere ? [again] : now.next.steps));
}

function pastWords(past: ProgramPast, reader: Reader): string {
  const when = (at: string): string => plainTime(at, reader);
  switch (past.kind) {
    case "never":
      return past.isCut
        ? `no published version that is kept has it (${past.snapshotsExamined}); others are not kept or cannot be read.`
        : "no published version has it.";
    case "removed":
      return `it was last published with the data of ${when(past.last.generatedAt)}, and the build of ${when(past.by.generatedAt)} took it out.`;
    case "rolled_back":
      return `the version with it was taken back by a rollback (${when(past.at)}).`;
    case "came_later":
      return `it was published later, with the data of ${when(past.first.generatedAt)}.`;
    case "not_kept":
      return "what was published then is no longer kept, so why is not known.";
  }
}

const unknownPath: RequestCase = requestCase(
  "The address is none that the API has. Addresses are compared exactly: capitals, no slash at the end, no double slash. (The log does not keep addresses, since some programs put secrets into them.)",
  "The address is none of the API: /v1/programs for the list, /v1/programs/{id} for one program.",
  forSupport(
    "Ask the partner for the exact address: /v1/programs, /v1/programs/{id}, or the deprecated /api/v1/partner/programs, which has no addresses with ids.",
  ),
);

function overLimit({ line, token }: RequestFacts): RequestCase {
  const known = token.kind === "known" ? token.token : undefined;
  const limit = line.limit ?? known?.rateLimit ?? null;
  const { windowSeconds } = line;
  const whole = windowSeconds === 1 ? "in a second" : `in ${windowSeconds} seconds`;
  // Gateways of earlier versions do not log the length of their window.
  const window = windowSeconds === null ? "in the time of a window" : whole;
  const whose =
    known?.rateLimit === null ? " (the limit of all, RATE_LIMIT_REQUESTS)" : " (the access key's own limit)";
  // When the list of access keys cannot be read, nobody knows which limit it was.
  const most = `${limit} ${window}${known === undefined ? "" : whose}`;
  const more =
    known !== undefined && command`token create --tenant ${{ tenantId: known.tenantId }} --rate-limit N`;
  const keep = "Tell the partner to keep answers for a while; all programs are one request for the list.";
  return requestCase(
    `The access key made more requests than ${limit === null ? "its limit allows" : most}. All requests count together, also those answered 400, 403 and 404; the header Retry-After said when to go on.`,
    `You made more requests than ${line.limit === null ? "agreed" : `the ${line.limit} allowed ${window}`}. Please wait for as many seconds as Retry-After says, and keep answers for a while.`,
    forSupport(keep, "token usage --log FILE"),
    forOperations("If the partner's need is real, issue an access key with a higher limit.", more),
  );
}
