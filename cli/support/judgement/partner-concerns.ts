import { type RegisteredToken, tokenStatus } from "../../../core/documents/token-registry.ts";
import { counted, durationText, numberText, plainTime, type Reader } from "../../output/words.ts";
import type { RequestLogLine } from "../../read/gateway-log/request-line.ts";
import type { TenantFacts, TenantsReading } from "../facts/tenants.ts";
import { type Concern, concern } from "./concern.ts";
import { clause, command, commandTo, forOperations, forSupport, remedies, type Step } from "./steps.ts";

/** Finds the concerns of all tenants together in the gateways' answers of the last hour. */
export function gatewayConcerns(
  { anonymous, unconfirmed }: NonNullable<TenantsReading["gateways"]>,
  reader: Reader,
): readonly Concern[] {
  const concerns: Concern[] = [];
  if (unconfirmed !== null) {
    const text = `partners get answers ${olderSnapshot(unconfirmed, reader)}`;
    concerns.push(concern("answers_old", null, text, remedies.store, seenIn(unconfirmed)));
  }
  // A request without a known key that gets 401 is no concern: anybody can send one.
  if (anonymous.failed > 0) {
    const [last] = anonymous.failures;
    const text = `${counted(anonymous.failed, "request")} of the last hour got 500 (internal error) before an access key was looked up${causeOf(last)}`;
    concerns.push(concern("answers_failed", null, text, remedies.store, seenIn(last)));
  }
  return concerns;
}

/** Says since when and why the gateway could not confirm an answer, which may be old (W162). */
export function olderSnapshot(line: RequestLogLine, reader: Reader): string {
  const { unconfirmedSince, unconfirmedCode } = line;
  const isStore = unconfirmedCode?.startsWith("store_") === true || unconfirmedCode === "settings";
  const what = isStore
    ? "the store could not be reached"
    : "the gateway could not confirm the tenant's snapshot";
  return `of an older snapshot: ${what} since ${plainTime(unconfirmedSince ?? line.time, reader)}`;
}

/** Finds the concerns in the answers that partners of the tenant got in the last hour. */
export function answerConcerns(facts: TenantFacts, { now }: Reader): readonly Concern[] {
  const { tenantId, answers, hold } = facts;
  if (answers === null) return [];
  const { requests, failed, limited, refused, failures } = answers;
  const got = (count: number, what: string): string =>
    `${numberText(count)} of ${counted(requests, "request")} of the last hour got ${what}`;
  const concerns: Concern[] = [];
  if (failed > 0) {
    const [last] = failures;
    const damage = failures.find(({ causeCode }) => causeCode === "corrupt_document");
    const text = got(failed, `500 (internal error)${causeOf(damage ?? last)}`);
    const explain = last !== undefined && command`request explain ${last.requestId} --log FILE`;
    const escalate = forSupport("Look at one of these requests, and escalate to operations.", explain);
    const steps = damage === undefined ? [escalate] : remedies.damage(tenantId, hold !== null);
    concerns.push(concern("answers_failed", tenantId, text, steps, seenIn(last)));
  }
  if (refused > 0) {
    const text = got(refused, "401 (unauthorized): partners use an access key that has ended");
    const hasActive = (usableKeys(facts, now) ?? 0) > 0;
    const tell = forSupport(
      "See which access key it is, and tell the partner.",
      command`token list --tenant ${{ tenantId }}`,
    );
    concerns.push(
      concern("answers_refused", tenantId, text, [tell], { severity: hasActive ? "doubtful" : "bad" }),
    );
  }
  if (limited > 0) {
    const quota = "See who asks so often, and tell the partner to keep answers for a while.";
    const steps = [forSupport(quota, "token usage --log FILE")];
    concerns.push(concern("answers_limited", tenantId, got(limited, "429 (too many)"), steps));
  }
  return concerns;
}

function causeOf(line: RequestLogLine | undefined): string {
  return line?.cause == null ? "" : `: ${clause(line.cause)}`;
}

function seenIn(line: RequestLogLine | undefined): Pick<Concern, "at" | "requestId"> {
  return { at: line?.time ?? null, requestId: line?.requestId ?? null };
}

const dayMs = 86_400_000;

/**
 * Finds keys that end soon or ended lately. A key with a successor is left out, since only the partner can
 * change over. So is a key that had expired when it was issued, as the sandbox's has on purpose.
 */
export function keyConcerns(facts: TenantFacts, { now, tokenMaxLifetimeMs }: Reader): readonly Concern[] {
  const { tenantId } = facts;
  const tokens = facts.keys ?? [];
  const inForce = tokens.filter(({ revokedAt }) => revokedAt === null);
  const replaced = new Set(inForce.map(({ replaces }) => replaces));
  return inForce.flatMap((token): readonly Concern[] => {
    const { tokenId, expiresAt: at, createdAt } = token;
    if (at === null || replaced.has(tokenId) || at <= createdAt) return [];
    const left = Date.parse(at) - now.getTime();
    if (left >= 14 * dayMs || left <= -7 * dayMs) return [];
    const severity = left < 2 * dayMs ? "bad" : "doubtful";
    if (left <= 0) {
      const text = `access key ${namedKey(token)} has expired: whoever uses it gets 401. It can't be renewed, only replaced`;
      return [concern("token_expired", tenantId, text, [issueStep(token, facts)], { severity, at })];
    }
    // A rotation would not help, because the new key would end at the same time.
    const laterMs = Math.min(90 * dayMs, tokenMaxLifetimeMs ?? Number.POSITIVE_INFINITY);
    const wait = "TOKEN_MAX_LIFETIME allows no later end yet: give it one shortly before it ends.";
    const step =
      laterMs > left
        ? forOperations(
            "Give it a later end.",
            command`token expire ${tokenId} --at ${durationText(laterMs)}`,
          )
        : forOperations(wait);
    const text = `access key ${namedKey(token)} expires soon`;
    return [concern("token_expires", tenantId, text, [step], { severity, at })];
  });
}

export function namedKey({ tokenId, name }: Pick<RegisteredToken, "tokenId" | "name">): string {
  return name === null ? tokenId : `${tokenId} (${name})`;
}

/** A token of a tenant without a snapshot would get errors only, so none is issued before (T13). */
export function issueStep({ tenantId }: RegisteredToken, tenant: Pick<TenantFacts, "live"> | null): Step {
  const text = "If the partner may still read programs, issue a new one";
  const issue = command`token create --tenant ${{ tenantId }}`;
  const isPublished = tenant === null || tenant.live !== null;
  if (isPublished) return forOperations(`${text}.`, issue);
  return forOperations(`${text} when the tenant is published.`, commandTo.build(tenantId), issue);
}

/** The number of access keys that are in force; `null` when the list of keys could not be read. */
export function usableKeys({ keys }: Pick<TenantFacts, "keys">, now: Date): number | null {
  return keys === null ? null : keys.filter((token) => tokenStatus(token, now) === "active").length;
}
