import type { CauseCode } from "../../../core/cause-code.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { RequestFacts } from "../facts/requests.ts";
import { olderSnapshot, storeSteps } from "./answers.ts";
import { endedKey, keySince } from "./key.ts";
import { missedRequest } from "./missed-request.ts";
import { serverFault } from "./server-fault.ts";
import { forOperations, forSupport, type Judgement, judgement, lengthOf, shellWord } from "./step.ts";

/** Explains a request's answer to somebody who reads neither code nor specification. Pure. */
export function judgedRequest(facts: RequestFacts, reader: Reader): Judgement {
  const { line } = facts;
  if (line.isCut) return cut(line);
  switch (line.status) {
    case 200:
      return served(facts, reader);
    case 400:
      return malformed(line);
    case 401:
      return refused(facts, reader);
    case 403:
      return forbidden(facts, reader);
    case 404:
      return line.route === "detail" ? missedRequest(facts, reader) : unknownPath();
    case 405:
      return judgement(
        `The request was ${line.method ?? "of another method"}; the API only reads, by GET. A browser's own check (OPTIONS) gets this, too.`,
        forSupport("Tell the partner to send GET, from a server: the API is not for browsers."),
      );
    case 429:
      return overLimit(facts);
    default:
      return serverFault(facts);
  }
}

function served(facts: RequestFacts, reader: Reader): Judgement {
  const { line, snapshot } = facts;
  const since = keySince(facts, reader);
  const show = snapshot?.kind === "kept" && forSupport("To see what the partner got:", showCommand(line));
  const replaced = snapshot?.kind === "kept" ? snapshot.replaced : null;
  const later =
    replaced === null
      ? ""
      : `; snapshot ${replaced.by} had replaced it on ${plainTime(replaced.at, reader)}, ${lengthOf(Date.parse(line.time) - Date.parse(replaced.at))} before the request`;
  if (line.unconfirmedSince !== null) {
    return judgement(
      `The partner got a whole answer, ${olderSnapshot(line, reader)}${later}.${since}`,
      forSupport("Escalate to operations: partners get older data, and errors when it lasts."),
      forOperations("See whether the store is there, and the one that is meant.", "store check"),
      show,
    );
  }
  if (replaced !== null) {
    return judgement(
      `The partner got a whole answer, but of an older snapshot${later}. Gateways follow within seconds.${since}`,
      forSupport(
        "Tell the partner to ask again; if the answer is still the old one, escalate to operations.",
      ),
      forOperations("See what keeps that gateway from reading the store.", "store check"),
      show,
    );
  }
  if (snapshot?.kind === "not_kept") {
    const gone = "What the partner got cannot be shown any more. See what partners get now.";
    return judgement(
      `The partner got the whole answer as it was published, of a snapshot that this store does not have: it was pruned since, or the gateway uses another store.${since}`,
      forSupport(gone, listOf(line)),
    );
  }
  const isEmpty = snapshot?.kind === "kept" && snapshot.programs === 0 && line.route !== "detail";
  const whole = "The partner got the whole answer, byte for byte as it was published";
  return judgement(
    `${whole}${isEmpty ? ": an empty list, since the snapshot had no program" : ""}.${since}`,
    isEmpty &&
      line.tenantId !== null &&
      forSupport("See whether that is so still, and why.", `snapshot status --tenant ${line.tenantId}`),
    show,
  );
}

function listOf({ tenantId }: RequestLogLine): string {
  return tenantId === null ? "tenant list" : `snapshot show --tenant ${tenantId} --list`;
}

function showCommand({ tenantId, snapshotId, route, programId }: RequestLogLine): string {
  const what = programId === null ? "" : ` --program ${shellWord(programId)}`;
  const selector = route === "list" ? " --list" : route === "legacy" ? " --legacy" : what;
  return `snapshot show --tenant ${tenantId ?? ""} --snapshot ${snapshotId ?? ""}${selector}`;
}

function cut(line: RequestLogLine): Judgement {
  if (line.causeCode === "too_many_waiting") {
    return judgement(
      "The partner's program sent request after request on one connection without waiting for answers, so the gateway ended it.",
      forSupport(
        "Tell the partner to send the next request when the answer to the last one is there, and to use some connections side by side.",
      ),
    );
  }
  if (line.cause === null || line.causeCode === "client_left") {
    return judgement(
      "The partner's side ended the connection before it had the whole answer. Nothing wrong was delivered as complete.",
      forSupport("Ask the partner for the timeout of its program, and for proxies in between."),
    );
  }
  return judgement(
    "The gateway ended the connection before the answer was complete, so that nothing wrong was delivered as complete. Technical detail below.",
    forSupport(
      "If it happens again, escalate to operations: a published file may be damaged.",
      line.tenantId !== null && `snapshot verify --tenant ${line.tenantId}`,
    ),
  );
}

function malformed(line: RequestLogLine): Judgement {
  if (line.route === "detail") {
    return judgement(
      "What the partner asked for cannot be the id of a program: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit, percent-encoded at most once.",
      forSupport(
        "Tell the partner to take ids from the list, character by character.",
        line.tenantId !== null && listOf(line),
      ),
    );
  }
  if (line.cause === "HPE_HEADER_OVERFLOW") {
    return judgement(
      "The headers of the request were larger than the 16 KiB that the gateway reads, so it was refused before its address was looked at.",
      forSupport(
        "Ask the partner which headers its program sends: cookies that grow, or an access key that was put there many times.",
      ),
    );
  }
  return judgement(
    `What arrived was no proper HTTP request (${line.cause ?? "malformed"}), so the gateway closed the connection.`,
    forSupport(
      "Ask the partner which program sends it, and for proxies in between; a browser or curl would not send this.",
    ),
  );
}

/** Explains a 401, from the key's history when the gateway knew the key. */
function refused(facts: RequestFacts, reader: Reader): Judgement {
  const { line, token, keys } = facts;
  switch (token.kind) {
    case "known":
      return endedKey(facts, token, reader);
    case "foreign":
      return judgement(
        `The log names the access key ${line.tokenId}, which is none of this installation's: the log is of a gateway with another store.`,
        forSupport("Run this with the gateway's STORE_URL.", "config"),
      );
    case "unavailable":
      return judgement(
        `The gateway refused the access key ${line.tokenId} (${line.cause ?? "it noted no reason"}). More is not known, since the list of access keys could not be read: ${token.reason}`,
        forSupport("Ask again when the store answers.", "store check"),
      );
    case "none":
      break;
  }
  if (line.causeCode === "unknown_token") {
    // A store without a single access key proves nothing about the partner's key (W163).
    if (keys !== "some") {
      const why =
        keys === "none"
          ? "no access key was ever issued in this store: the store is new, or it is the wrong one"
          : "the list of access keys cannot be read here";
      return judgement(
        `The gateway did not know the access key, and ${why}. Nothing is said yet about the partner's key.`,
        ...storeSteps,
      );
    }
  }
  return (
    anonymousRefusals.get(line.causeCode) ??
    judgement(
      `The gateway refused the request: ${line.cause ?? "it noted no cause"}.`,
      forSupport("Ask the partner for the request as it was sent, without the access key."),
    )
  );
}

const refusals: Readonly<Partial<Record<CauseCode, Judgement>>> = {
  no_token: judgement(
    "The request came without an access key: it had no header `Authorization: Bearer ...`.",
    forSupport(
      "Tell the partner to send the header; an access key in the address or in a cookie does not count. Ask also for proxies that drop the header.",
    ),
  ),
  unknown_token: judgement(
    "The access key is whole, but was never issued here: it belongs to another installation, such as a test system.",
    forSupport("Ask the partner which address and which access key its program uses.", "token list"),
    forOperations("If the partner has none of this installation, issue one.", "token create --tenant ID"),
  ),
  malformed_token: judgement(
    "The access key was incomplete or altered: cut off, mistyped, of another system, or sent twice.",
    forSupport(
      "Ask the partner to copy it again, whole: ppr_ and 49 letters and digits, after `Bearer` and a space. Don't have it rotated yet: that stops a working access key.",
      "token list",
    ),
  ),
};
/** A log may hold any text as a code. */
const anonymousRefusals: ReadonlyMap<string | null, Judgement> = new Map(Object.entries(refusals));

function forbidden(facts: RequestFacts, reader: Reader): Judgement {
  const { token } = facts;
  const known = token.kind === "known" ? token.token : undefined;
  const scopes = known === undefined ? "others" : known.scopes.join(" ") || "none";
  const revoke = known?.revokedAt === null && `token revoke ${known.tokenId}`;
  return judgement(
    `The access key was good but does not give the right to read programs (scope programs.read); it has: ${scopes}.${keySince(facts, reader)}`,
    forSupport("Ask operations for another access key; what a key gives a right to never changes."),
    forOperations(
      revoke === false
        ? "Issue an access key with that right, and hand it to the partner."
        : "Issue an access key with that right, hand it to the partner, and revoke this one when the partner has changed over.",
      known !== undefined && `token create --tenant ${known.tenantId}`,
      revoke,
    ),
  );
}

function unknownPath(): Judgement {
  return judgement(
    "The address is none that the API has. Addresses are compared exactly: capitals, no slash at the end, no double slash. (The log does not keep addresses, since some programs put secrets into them.)",
    forSupport(
      "Ask the partner for the exact address: /v1/programs, /v1/programs/{id}, or the deprecated /api/v1/partner/programs, which has no addresses with ids.",
    ),
  );
}

function overLimit({ line, token }: RequestFacts): Judgement {
  const known = token.kind === "known" ? token.token : undefined;
  const limit = line.limit ?? known?.rateLimit ?? null;
  // When the list of access keys cannot be read, nobody knows which limit it was.
  const limitNote =
    known === undefined
      ? ""
      : known.rateLimit === null
        ? " (the limit of all, RATE_LIMIT_REQUESTS)"
        : " (the access key's own limit)";
  const most = limit === null ? "its limit allows" : `${limit} ${inWindow(line)}${limitNote}`;
  return judgement(
    `The access key made more requests than ${most}. All requests count together, also those answered 400, 403 and 404; the header Retry-After said when to go on.`,
    forSupport(
      "Tell the partner to keep answers for a while; all programs are one request for the list.",
      "token usage --log FILE",
    ),
    forOperations(
      "If the partner's need is real, issue an access key with a higher limit.",
      known !== undefined && `token create --tenant ${known.tenantId} --rate-limit N`,
    ),
  );
}

/** Gateways of earlier versions do not log the length of their window. */
export function inWindow({ windowSeconds }: RequestLogLine): string {
  if (windowSeconds === null) return "in the time of a window";
  return windowSeconds === 1 ? "in a second" : `in ${windowSeconds} seconds`;
}
