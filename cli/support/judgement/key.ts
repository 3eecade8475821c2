import type { RegisteredToken } from "../../../core/token-registry.ts";
import type { Reader } from "../../output/times.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import { type Concern, concern } from "./concern.ts";
import { forOperations, forSupport, type Step } from "./step.ts";

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
    return [concern(kind, tenantId, text, { severity, at: expiresAt, steps: [step] })];
  });
}

export function namedKey({ tokenId, name }: Pick<RegisteredToken, "tokenId" | "name">): string {
  return name === null ? tokenId : `${tokenId} (${name})`;
}

export function issueStep({ tenantId }: RegisteredToken): Step {
  const text = "If the partner may still read programs, issue a new one.";
  return forOperations(text, `token create --tenant ${tenantId}`);
}

export function auditStep({ tenantId }: RegisteredToken): Step {
  return forSupport(
    "Find out why it was revoked before you promise anything.",
    `audit list --tenant ${tenantId}`,
  );
}
