import type { CauseCode } from "../../../core/cause-code.ts";
import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { RequestFacts } from "../facts/requests.ts";
import { storeSteps } from "./answers.ts";
import { auditStep, issueStep, namedKey } from "./key.ts";
import { removedSteps } from "./remedies.ts";
import { forOperations, forSupport, type RequestCase, type Step, told } from "./step.ts";

const unknownToPartner =
  "It came without an access key that we know. Please check the header Authorization: the word Bearer, a space, and the key.";
const ours =
  "The fault was on our side: we did not know the access key in time. Please send the request again.";

/** Explains a 401, from the key's history when the gateway knew the key. */
export function refusedKey(facts: RequestFacts, reader: Reader): RequestCase {
  const { line, token, keys } = facts;
  switch (token.kind) {
    case "known":
      return endedKey(facts, token, reader);
    case "foreign":
      return told(
        `The log names the access key ${line.tokenId}, which is none of this installation's: the log is of a gateway with another store.`,
        unknownToPartner,
        forSupport("Run this with the gateway's STORE_URL.", "config"),
      );
    case "unavailable":
      return told(
        `The gateway refused the access key ${line.tokenId} (${line.cause ?? "it noted no reason"}). More is not known, since the list of access keys could not be read: ${token.reason}`,
        unknownToPartner,
        forSupport("Ask again when the store answers.", "store check"),
      );
    case "none":
      break;
  }
  if (line.causeCode === "unknown_token" && keys !== "some") {
    // A store without a single access key proves nothing about the partner's key (W163).
    const why =
      keys === "none"
        ? "no access key was ever issued in this store: the store is new, or it is the wrong one"
        : "the list of access keys cannot be read here";
    const summary = `The gateway did not know the access key, and ${why}. Nothing is said yet about the partner's key.`;
    return { summary, steps: storeSteps, toPartner: ours };
  }
  const ask = "Ask the partner for the request as it was sent, without the access key.";
  return (
    refusals.get(line.causeCode) ??
    told(
      `The gateway refused the request: ${line.cause ?? "it noted no cause"}.`,
      unknownToPartner,
      forSupport(ask),
    )
  );
}

const causes: Readonly<Partial<Record<CauseCode, RequestCase>>> = {
  no_token: told(
    "The request came without an access key: it had no header `Authorization: Bearer ...`.",
    unknownToPartner,
    forSupport(
      "Tell the partner to send the header; an access key in the address or in a cookie does not count. Ask also for proxies that drop the header.",
    ),
  ),
  unknown_token: told(
    "The access key is whole, but was never issued here: it belongs to another installation, such as a test system.",
    unknownToPartner,
    forSupport("Ask the partner which address and which access key its program uses.", "token list"),
    forOperations("If the partner has none of this installation, issue one.", "token create --tenant ID"),
  ),
  malformed_token: told(
    "The access key was incomplete or altered: cut off, mistyped, of another system, or sent twice.",
    "The access key was incomplete or altered. Please copy it again, whole, after the word Bearer and a space.",
    forSupport(
      "Ask the partner to copy it again, whole: ppr_ and 49 letters and digits, after `Bearer` and a space. Don't have it rotated yet: that stops a working access key.",
      "token list",
    ),
  ),
};
/** A log may hold any text as a code. */
const refusals: ReadonlyMap<string | null, RequestCase> = new Map(Object.entries(causes));

/** A sentence about what became of the key since the request; empty when the key is still good. */
export function keySince({ token: key, line, tenant }: RequestFacts, reader: Reader): string {
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

type KnownKey = Extract<RequestFacts["token"], { readonly kind: "known" }>;

/** Says why a known access key was refused: what became of the key, and of its tenant. */
function endedKey(facts: RequestFacts, key: KnownKey, reader: Reader): RequestCase {
  const own = ended(facts, key, reader);
  const removedAt = facts.tenant?.removal?.removedAt;
  if (removedAt === undefined) return own;
  // Whatever ended the key, nobody may be promised a new one (P91).
  const { tenantId, revokedAt } = key.token;
  const removed = plainTime(removedAt, reader);
  const isOfRemoval = revokedAt !== null && Date.parse(revokedAt) >= Date.parse(removedAt);
  const isRemovals = isOfRemoval && !hadExpired(key.token, facts.line.time);
  return told(
    isRemovals
      ? `The access key ${namedKey(key.token)} was revoked on ${plainTime(revokedAt, reader)}. It is of tenant ${tenantId}, which was removed on ${removed}.`
      : `${own.summary} Its tenant ${tenantId} was removed on ${removed}, so no access key of it is good any more.`,
    noLongerValid,
    ...removedSteps(tenantId, false),
  );
}

const noLongerValid = "It used an access key that is no longer valid.";

/** Whether the key had expired at that time and was not yet revoked. What was done to it later explains no refusal. */
function hadExpired({ expiresAt, revokedAt }: RegisteredToken, at: string): boolean {
  const isBefore = (instant: string): boolean => Date.parse(instant) <= Date.parse(at);
  return expiresAt !== null && isBefore(expiresAt) && (revokedAt === null || !isBefore(revokedAt));
}

function ended({ line }: RequestFacts, { token, successors }: KnownKey, reader: Reader): RequestCase {
  const when = (at: string | null): string => plainTime(at ?? "", reader);
  const { revokedAt, expiresAt } = token;
  const [replacement] = successors;
  const newest = successors.at(-1);
  const isReplaced = newest !== undefined && tokenStatus(newest, reader.now) === "active";
  const replacedToPartner = "It used an access key that has been replaced. Please use the new one.";
  const useNew = (which: string): Step =>
    forSupport(`Ask the partner to use the new one, which ${which}.`, "token list");
  const key = `The access key ${namedKey(token)}`;
  if (hadExpired(token, line.time)) {
    const later = revokedAt === null ? "" : ` Later, on ${when(revokedAt)}, it was revoked, too.`;
    const tell = "Tell the partner that the access key has ended; an expired one can't be renewed.";
    const expired = revokedAt === null ? "It used an access key that has expired." : noLongerValid;
    return told(
      `${key} expired on ${when(expiresAt)}.${later}`,
      isReplaced ? replacedToPartner : expired,
      ...(isReplaced ? [useNew("came in its place")] : [forSupport(tell), issueStep(token)]),
    );
  }
  if (revokedAt === null) {
    const end = expiresAt === null ? "" : ` (it ends on ${when(expiresAt)})`;
    const again = "Ask the partner to try again; if it is refused again, escalate to operations.";
    return told(
      `The gateway refused the access key ${namedKey(token)}, though it was in force then${end}: the gateway's list of keys, or its clock, may have been behind.`,
      isReplaced ? replacedToPartner : ours,
      forSupport(again, "token list"),
    );
  }
  if (replacement === undefined || newest === undefined) {
    return told(
      `${key} was revoked on ${when(revokedAt)}, and no other was issued in its place.`,
      noLongerValid,
      auditStep(token),
      issueStep(token),
    );
  }
  const chain = newest === replacement ? "" : ` (by now replaced by ${newest.tokenId})`;
  const replaced = `${key} was replaced on ${when(revokedAt)} by ${replacement.tokenId}${chain}.`;
  if (isReplaced) {
    const lost =
      "Only if the new one is lost: nobody can see it again, so replace it once more. That stops it wherever it is in use.";
    return told(
      `${replaced} The partner still uses the old one.`,
      replacedToPartner,
      useNew("was handed over when the old one was replaced"),
      forOperations(lost, `token rotate ${newest.tokenId}`),
    );
  }
  const isExpired = newest.revokedAt === null;
  const end = isExpired ? `expired on ${when(newest.expiresAt)}` : `was revoked on ${when(newest.revokedAt)}`;
  const tell = { ...auditStep(token), text: "Tell the partner that the access key has ended." };
  return told(
    `${replaced} That one is no longer good either: it ${end}, and no other was issued in its place.`,
    noLongerValid,
    isExpired ? tell : auditStep(token),
    issueStep(token),
  );
}
