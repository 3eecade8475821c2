import { type RegisteredToken, tokenStatus } from "../../../core/documents/token-registry.ts";
import { durationText, type Reader } from "../../output/words.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import { type Concern, concern } from "./concern.ts";
import { command, commandTo, forOperations, type Step } from "./steps.ts";

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
