import { type RegisteredToken, tokenStatus } from "../../../core/documents/token-registry.ts";
import { plainTime, type Reader } from "../../output/words.ts";
import { issueStep, namedKey } from "./partner-concerns.ts";
import type { RequestFacts } from "./request-facts.ts";
import {
  command,
  commandTo,
  forOperations,
  forSupport,
  type MaybeStep,
  remedies,
  type Step,
} from "./steps.ts";

/** The case of a request: what happened, what to do, and what the partner may be told. */
export interface RequestCase {
  readonly summary: string;
  /** Has no detail of how the service is built and nobody else's data. */
  readonly toPartner: string;
  readonly steps: readonly MaybeStep[];
}

export function requestCase(summary: string, toPartner: string, ...steps: readonly MaybeStep[]): RequestCase {
  return { summary, toPartner, steps };
}

const unknownToPartner =
  "It came without an access key that we know. Please check the header Authorization: the word Bearer, a space, and the key.";
const ours =
  "The fault was on our side: we did not know the access key in time. Please send the request again.";
const noLongerValid = "It used an access key that is no longer valid.";

/** Explains a 401, from the key's history when the gateway knew the key. */
export function refusedKey(facts: RequestFacts, reader: Reader): RequestCase {
  const { line, token, keys } = facts;
  if (token.kind === "known") return endedKey(facts, token, reader);
  if (token.kind === "foreign") {
    const summary = `The log names the access key ${line.tokenId}, which the registry does not know: the log is of a gateway with another store, or the key ended over 400 days ago and its entry was dropped.`;
    return requestCase(
      summary,
      unknownToPartner,
      forSupport("Run this with the gateway's STORE_URL.", "config"),
    );
  }
  if (token.kind === "unavailable") {
    const summary = `The gateway refused the access key ${line.tokenId} (${line.cause ?? "it noted no reason"}). More is not known, since the list of access keys could not be read: ${token.reason}`;
    return requestCase(
      summary,
      unknownToPartner,
      forSupport("Ask again when the store answers.", "store check"),
    );
  }
  switch (line.causeCode) {
    case "unknown_token":
      return unknownKey(keys);
    case "no_token": {
      const tell =
        "Tell the partner to send the header; an access key in the address or in a cookie does not count. Ask also for proxies that drop the header.";
      const summary = "The request came without an access key: it had no header `Authorization: Bearer ...`.";
      return requestCase(summary, unknownToPartner, forSupport(tell));
    }
    case "malformed_token": {
      const copy =
        "Ask the partner to copy it again, whole: ppr_ and 49 letters and digits, after `Bearer` and a space. Don't have it rotated yet: that stops a working access key.";
      return requestCase(
        "The access key was incomplete or altered: cut off, mistyped, of another system, or sent twice.",
        "The access key was incomplete or altered. Please copy it again, whole, after the word Bearer and a space.",
        forSupport(copy, "token list"),
      );
    }
    default: {
      const ask = forSupport("Ask the partner for the request as it was sent, without the access key.");
      const summary = `The gateway refused the request: ${line.cause ?? "it noted no cause"}.`;
      return requestCase(summary, unknownToPartner, ask);
    }
  }
}

/** A store without a single access key proves nothing about the partner's key (W160). */
function unknownKey(keys: RequestFacts["keys"]): RequestCase {
  if (keys === "some") {
    return requestCase(
      "The access key is whole, but was never issued here: it belongs to another installation, such as a test system.",
      unknownToPartner,
      forSupport("Ask the partner which address and which access key its program uses.", "token list"),
      forOperations("If the partner has none of this installation, issue one.", "token create --tenant ID"),
    );
  }
  const why =
    keys === "none"
      ? "no access key was ever issued in this store: the store is new, or it is the wrong one"
      : "the list of access keys cannot be read here";
  const summary = `The gateway did not know the access key, and ${why}. Nothing is said yet about the partner's key.`;
  return requestCase(summary, ours, ...remedies.store);
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
  const summary =
    isOfRemoval && !hadExpired(key.token, facts.line.time)
      ? `The access key ${namedKey(key.token)} was revoked on ${plainTime(revokedAt, reader)}. It is of tenant ${tenantId}, which was removed on ${removed}.`
      : `${own.summary} Its tenant ${tenantId} was removed on ${removed}, so no access key of it is good any more.`;
  return requestCase(summary, noLongerValid, ...remedies.removed(tenantId, false));
}

/** Whether the key had expired by then and was not yet revoked. What came later explains no refusal. */
function hadExpired({ expiresAt, revokedAt }: RegisteredToken, at: string): boolean {
  const isBefore = (instant: string): boolean => Date.parse(instant) <= Date.parse(at);
  return expiresAt !== null && isBefore(expiresAt) && (revokedAt === null || !isBefore(revokedAt));
}

function ended({ line, tenant }: RequestFacts, { token, successors }: KnownKey, reader: Reader): RequestCase {
  const when = (at: string | null): string => plainTime(at ?? "", reader);
  const { revokedAt, expiresAt } = token;
  const [replacement] = successors;
  const newest = successors.at(-1);
  const isReplaced = newest !== undefined && tokenStatus(newest, reader.now) === "active";
  const useNew = (which: string): Step =>
    forSupport(`Ask the partner to use the new one, which ${which}.`, "token list");
  const audit = (text: string): Step =>
    forSupport(text, command`audit list --tenant ${{ tenantId: token.tenantId }}`);
  const whyRevoked = audit("Find out why it was revoked before you promise anything.");
  const toPartner = (otherwise: string): string =>
    isReplaced ? "It used an access key that has been replaced. Please use the new one." : otherwise;
  const key = `The access key ${namedKey(token)}`;
  if (hadExpired(token, line.time)) {
    const later = revokedAt === null ? "" : ` Later, on ${when(revokedAt)}, it was revoked, too.`;
    const tell = "Tell the partner that the access key has ended; an expired one can't be renewed.";
    const expired = revokedAt === null ? "It used an access key that has expired." : noLongerValid;
    const steps = isReplaced ? [useNew("came in its place")] : [forSupport(tell), issueStep(token, tenant)];
    return requestCase(`${key} expired on ${when(expiresAt)}.${later}`, toPartner(expired), ...steps);
  }
  if (revokedAt === null) {
    const end = expiresAt === null ? "" : ` (it ends on ${when(expiresAt)})`;
    const again = "Ask the partner to try again; if it is refused again, escalate to operations.";
    const summary = `The gateway refused the access key ${namedKey(token)}, though it was in force then${end}: the gateway's list of keys, or its clock, may have been behind.`;
    return requestCase(summary, toPartner(ours), forSupport(again, "token list"));
  }
  if (replacement === undefined || newest === undefined) {
    const summary = `${key} was revoked on ${when(revokedAt)}, and no other was issued in its place.`;
    return requestCase(summary, noLongerValid, whyRevoked, issueStep(token, tenant));
  }
  const chain = newest === replacement ? "" : ` (by now replaced by ${newest.tokenId})`;
  const replaced = `${key} was replaced on ${when(revokedAt)} by ${replacement.tokenId}${chain}.`;
  if (isReplaced) {
    const lost =
      "Only if the new one is lost: nobody can see it again, so replace it once more. That stops it wherever it is in use.";
    return requestCase(
      `${replaced} The partner still uses the old one.`,
      toPartner(""),
      useNew("was handed over when the old one was replaced"),
      forOperations(lost, command`token rotate ${newest.tokenId}`),
    );
  }
  const isExpired = newest.revokedAt === null;
  const end = isExpired ? `expired on ${when(newest.expiresAt)}` : `was revoked on ${when(newest.revokedAt)}`;
  const summary = `${replaced} That one is no longer good either: it ${end}, and no other was issued in its place.`;
  const check = isExpired ? audit("Tell the partner that the access key has ended.") : whyRevoked;
  return requestCase(summary, noLongerValid, check, issueStep(token, tenant));
}

type Fault = readonly [summary: string, remedy: string, ...commands: readonly string[]];

const storeAway: Fault = [
  "The place where the published files lie did not answer, or refused.",
  "See what the object store says. Gateways recover by themselves once it answers.",
  "store check",
];

const causes: Readonly<Record<string, Fault>> = {
  registry_unconfirmed: [
    "The gateway could not confirm which access keys are good, and lets nobody in until it can.",
    "See whether the store answers and auth/tokens.json is whole; gateways recover by themselves.",
    "store check",
    "token list",
  ],
  store_unreachable: [
    "The gateway found no store, or another one, where its published files should be; the files themselves are not damaged.",
    "See whether the volume is mounted and STORE_URL is the right one. Gateways recover by themselves when the store is back.",
    "config",
    "store check --read-only",
  ],
  no_share: [
    "The published file was not in the gateway's memory, and too many reads for this tenant waited for the store at once.",
    "See whether the store hangs for this tenant, or a partner of it reads slowly or asks for too much at a time. Other tenants are not affected.",
    "store check",
  ],
  store_unavailable: storeAway,
  store_denied: storeAway,
  store_unsupported: storeAway,
};
/** A log may hold any text as a code. */
const serverFaults: ReadonlyMap<string | null, Fault> = new Map(Object.entries(causes));

/** Explains a 500 by the code that the gateway logged. The logged text names the object or the fault. */
export function serverFault({ line, tenant, isMended }: RequestFacts): RequestCase {
  const { tenantId, causeCode } = line;
  const toPartner = "The fault was on our side, and your request was fine. Please send it again.";
  const wait = "Escalate to operations with this page; tell the partner to try again in some minutes.";
  const escalate = forSupport(wait);
  const status = tenantId === null ? "snapshot status" : commandTo.status(tenantId);
  if (causeCode === "corrupt_document" && isMended) {
    const summary = "A published file was damaged then. It is whole by now, so partners are served.";
    return requestCase(summary, toPartner, forSupport("Tell the partner to ask again."));
  }
  if (causeCode === "corrupt_document") {
    const mending = tenantId === null ? [] : remedies.damage(tenantId, tenant?.hold != null).slice(1);
    const summary =
      "A published file was damaged, and the gateway sends none rather than a wrong one. Technical detail below.";
    return requestCase(summary, toPartner, escalate, ...mending);
  }
  if (causeCode === "not_found") {
    const then = "Nothing was published then for the tenant of this access key.";
    if (tenant?.live != null) {
      const again = forSupport("Tell the partner to ask again.");
      return requestCase(`${then} Something is by now, so partners are served.`, toPartner, again);
    }
    const build = tenantId !== null && commandTo.build(tenantId);
    const remedy = "If nothing is by now, build the tenant, or revoke the access key.";
    return requestCase(
      `${then} Technical detail below.`,
      toPartner,
      escalate,
      forOperations(remedy, status, build),
    );
  }
  const [summary, remedy, ...commands] = serverFaults.get(causeCode) ?? [
    "The gateway met something that nobody expected.",
    "Keep the log lines around it and report them.",
    status,
    "store check",
  ];
  return requestCase(
    `${summary} Technical detail below.`,
    toPartner,
    escalate,
    forOperations(remedy, ...commands),
  );
}
