import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { RequestFacts } from "../facts/requests.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import { type Concern, concern } from "./concern.ts";
import { removedSteps } from "./remedies.ts";
import { forOperations, forSupport, type Judgement, judgement, type Step } from "./step.ts";

const dayMs = 86_400_000;

/**
 * Finds keys that end soon or ended lately. A key with a successor is left out, since only the partner can change over. So is a
 * key that had expired when it was issued, as the sandbox's has on purpose.
 */
export function keyConcerns({ tenantId, keys }: TenantFacts, { now }: Reader): readonly Concern[] {
  const replaced = new Set(
    keys?.flatMap(({ replaces, revokedAt }) => (revokedAt === null ? (replaces ?? []) : [])),
  );
  return (keys ?? []).flatMap((token): readonly Concern[] => {
    const { tokenId, expiresAt, createdAt, revokedAt } = token;
    if (revokedAt !== null || expiresAt === null || replaced.has(tokenId) || expiresAt <= createdAt)
      return [];
    const left = Date.parse(expiresAt) - now.getTime();
    if (left >= 14 * dayMs || left <= -7 * dayMs) return [];
    const isOver = left <= 0;
    const text = isOver
      ? `access key ${namedKey(token)} has expired: whoever uses it gets 401. It can't be renewed, only replaced`
      : `access key ${namedKey(token)} expires soon`;
    // A rotation would not help, because the new key would end at the same time.
    const step = isOver
      ? issueStep(token)
      : forOperations("Give it a later end.", `token expire ${tokenId} --at 90d`);
    const severity = left < 2 * dayMs ? "bad" : "doubtful";
    const kind = isOver ? "token_expired" : "token_expires";
    return [concern(kind, severity, tenantId, text, { at: expiresAt, steps: [step] })];
  });
}

type KnownKey = Extract<RequestFacts["token"], { readonly kind: "known" }>;

/** Says why a known access key was refused: what became of the key, and of its tenant. */
export function endedKey(facts: RequestFacts, key: KnownKey, reader: Reader): Judgement {
  const { line, tenant } = facts;
  const { token } = key;
  const removedAt = tenant?.removal?.removedAt;
  if (removedAt === undefined) return ended(facts, key, reader);
  const { tenantId, revokedAt } = token;
  const isOfRemoval = revokedAt !== null && Date.parse(revokedAt) >= Date.parse(removedAt);
  const removed = plainTime(removedAt, reader);
  if (isOfRemoval && !hadExpired(token, line.time)) {
    const ending = `was revoked on ${plainTime(revokedAt, reader)}. It`;
    const summary = `The access key ${namedKey(token)} ${ending} is of tenant ${tenantId}, which was removed on ${removed}.`;
    return judgement(summary, ...removedSteps(tenantId, false));
  }
  // The key was refused because it had ended before the removal. Still, nobody may be promised a new key (P91).
  const { summary } = ended(facts, key, reader);
  const since = `Its tenant ${tenantId} was removed on ${removed}, so no access key of it is good any more.`;
  return judgement(`${summary} ${since}`, ...removedSteps(tenantId, false));
}

export function usableSuccessor({ successors }: KnownKey, now: Date): RegisteredToken | undefined {
  const newest = successors.at(-1);
  return newest !== undefined && tokenStatus(newest, now) === "active" ? newest : undefined;
}

/** Whether the key had expired at that time and was not yet revoked. What was done to it later explains no refusal. */
export function hadExpired(
  token: RegisteredToken,
  at: string,
): token is RegisteredToken & { readonly expiresAt: string } {
  const { expiresAt, revokedAt } = token;
  const isBefore = (instant: string): boolean => Date.parse(instant) <= Date.parse(at);
  return expiresAt !== null && isBefore(expiresAt) && (revokedAt === null || !isBefore(revokedAt));
}

/** A sentence about what became of the key since the request; empty when the key is still good. */
export function keySince(facts: RequestFacts, reader: Reader): string {
  const { token: key, line, tenant } = facts;
  if (key.kind !== "known") return "";
  const { tenantId, revokedAt, expiresAt } = key.token;
  if (line.tenantId !== null && line.tenantId !== tenantId) {
    return ` The access key is of tenant ${tenantId} now: it was moved from ${line.tenantId}.`;
  }
  if (tenant?.removal != null)
    return ` Since then tenant ${tenantId} was removed, on ${plainTime(tenant.removal.removedAt, reader)}.`;
  if (revokedAt !== null)
    return ` Since then the access key was revoked, on ${plainTime(revokedAt, reader)}.`;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= reader.now.getTime();
  return isOver ? ` Since then the access key expired, on ${plainTime(expiresAt, reader)}.` : "";
}

function ended({ line }: RequestFacts, key: KnownKey, reader: Reader): Judgement {
  const { token } = key;
  const { revokedAt, expiresAt } = token;
  const when = (at: string): string => plainTime(at, reader);
  if (hadExpired(token, line.time)) {
    const later = revokedAt === null ? "" : ` Later, on ${when(revokedAt)}, it was revoked, too.`;
    return judgement(
      `The access key ${namedKey(token)} expired on ${when(token.expiresAt)}.${later}`,
      ...(usableSuccessor(key, reader.now) === undefined
        ? [
            forSupport("Tell the partner that the access key has ended; an expired one can't be renewed."),
            issueStep(token),
          ]
        : [forSupport("Ask the partner to use the new one, which came in its place.", "token list")]),
    );
  }
  if (revokedAt === null) {
    return judgement(
      `The gateway refused the access key ${namedKey(token)}, though it was in force then${expiresAt === null ? "" : ` (it ends on ${when(expiresAt)})`}: the gateway's list of keys, or its clock, may have been behind.`,
      forSupport(
        "Ask the partner to try again; if it is refused again, escalate to operations.",
        "token list",
      ),
    );
  }
  const [replacement] = key.successors;
  if (replacement === undefined) {
    return judgement(
      `The access key ${namedKey(token)} was revoked on ${when(revokedAt)}, and no other was issued in its place.`,
      auditStep(token),
      issueStep(token),
    );
  }
  const newest = key.successors.at(-1) ?? replacement;
  const chain = newest === replacement ? "" : ` (by now replaced by ${newest.tokenId})`;
  const replacedText = `The access key ${namedKey(token)} was replaced on ${when(revokedAt)} by ${replacement.tokenId}${chain}.`;
  if (usableSuccessor(key, reader.now) !== undefined) {
    return judgement(
      `${replacedText} The partner still uses the old one.`,
      forSupport(
        "Ask the partner to use the new one, which was handed over when the old one was replaced.",
        "token list",
      ),
      forOperations(
        "Only if the new one is lost: nobody can see it again, so replace it once more. That stops it wherever it is in use.",
        `token rotate ${newest.tokenId}`,
      ),
    );
  }
  const end =
    newest.revokedAt === null
      ? `expired on ${when(newest.expiresAt ?? "")}`
      : `was revoked on ${when(newest.revokedAt)}`;
  return judgement(
    `${replacedText} That one is no longer good either: it ${end}, and no other was issued in its place.`,
    newest.revokedAt === null
      ? { ...auditStep(token), text: "Tell the partner that the access key has ended." }
      : auditStep(token),
    issueStep(token),
  );
}

function namedKey({ tokenId, name }: Pick<RegisteredToken, "tokenId" | "name">): string {
  return name === null ? tokenId : `${tokenId} (${name})`;
}

function issueStep({ tenantId }: RegisteredToken): Step {
  const text = "If the partner may still read programs, issue a new one.";
  return forOperations(text, `token create --tenant ${tenantId}`);
}

function auditStep({ tenantId }: RegisteredToken): Step {
  return forSupport(
    "Find out why it was revoked before you promise anything.",
    `audit list --tenant ${tenantId}`,
  );
}
