import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { forOperations, forSupport, nextStep, type Step } from "../next-step.ts";
import { plainTime } from "../plain-time.ts";
import type { RealCause, RequestFacts } from "./request-facts.ts";

/** Why an access key that the gateway knew was refused: what became of it, and of its tenant. */
export function endedToken(
  facts: RequestFacts,
  token: RegisteredToken,
  successors: readonly RegisteredToken[],
): RealCause {
  const { removedAt } = facts;
  const { revokedAt } = token;
  if (removedAt === null) return ended(facts, token, successors);
  const isOfRemoval = revokedAt !== null && Date.parse(revokedAt) >= Date.parse(removedAt);
  return isOfRemoval && !hadExpired(token, facts.line.time)
    ? ofRemovedTenant(token, removedAt)
    : afterwardsRemoved(ended(facts, token, successors), token, removedAt);
}

/** The newest of the access keys that came in place of another, if a partner who has it can use it by now. */
export function usableSuccessor(
  successors: readonly RegisteredToken[],
  now: Date,
): RegisteredToken | undefined {
  const newest = successors.at(-1);
  return newest !== undefined && tokenStatus(newest, now) === "active" ? newest : undefined;
}

function ended(
  { line, now }: RequestFacts,
  token: RegisteredToken,
  successors: readonly RegisteredToken[],
): RealCause {
  if (hadExpired(token, line.time)) return expired(token);
  if (token.revokedAt === null) return inForce(token);
  const [replacement] = successors;
  return replacement === undefined
    ? revoked(token, token.revokedAt)
    : replaced(token, token.revokedAt, replacement, successors.at(-1) ?? replacement, now);
}

/** Whether the key had expired by then, and was not revoked before: what was done to it later explains no refusal. */
export function hadExpired(
  token: RegisteredToken,
  at: string,
): token is RegisteredToken & { readonly expiresAt: string } {
  const { expiresAt, revokedAt } = token;
  const isBefore = (instant: string): boolean => Date.parse(instant) <= Date.parse(at);
  return expiresAt !== null && isBefore(expiresAt) && (revokedAt === null || !isBefore(revokedAt));
}

/** P91: the removal ended it. */
function ofRemovedTenant(token: RegisteredToken, removedAt: string): RealCause {
  const { tenantId, revokedAt } = token;
  const ending = revokedAt === null ? "" : `was revoked on ${plainTime(revokedAt)}. It `;
  const summary = `The access key ${named(token)} ${ending}is of tenant ${tenantId}, which was removed on ${plainTime(removedAt)}.`;
  return cause(summary, ...removedSteps(tenantId));
}

/** P91: the key had ended before, which is why it was refused; but nobody is to be promised another one. */
function afterwardsRemoved(
  { summary }: RealCause,
  { tenantId }: RegisteredToken,
  removedAt: string,
): RealCause {
  const said = `${summary} Its tenant ${tenantId} was removed on ${plainTime(removedAt)}, so no access key of it is good any more.`;
  return cause(said, ...removedSteps(tenantId));
}

function removedSteps(tenantId: string): readonly Step[] {
  return [
    forSupport("Find out why it was removed before you promise anything.", `audit list --tenant ${tenantId}`),
    forOperations(
      "If it should be sold again, list it in the view partner_source.tenants, build it, and issue new access keys.",
      `snapshot build --tenant ${tenantId}`,
      `token create --tenant ${tenantId}`,
    ),
  ];
}

function inForce(token: RegisteredToken): RealCause {
  return cause(
    `The gateway refused the access key ${named(token)}, though it was in force then: the gateway's list of keys, or its clock, may have been behind.`,
    forSupport("Ask the partner to try again; if it is refused again, escalate to operations.", "token list"),
  );
}

function expired(token: RegisteredToken & { readonly expiresAt: string }): RealCause {
  const later =
    token.revokedAt === null ? "" : ` Later, on ${plainTime(token.revokedAt)}, it was revoked, too.`;
  return cause(
    `The access key ${named(token)} expired on ${plainTime(token.expiresAt)}.${later}`,
    forSupport("Tell the partner that a new access key is on its way; an expired one can't be renewed."),
    forOperations("If the partner may still read programs, issue one.", create(token)),
  );
}

function revoked(token: RegisteredToken, revokedAt: string): RealCause {
  return cause(
    `The access key ${named(token)} was revoked on ${plainTime(revokedAt)}, and no other was issued in its place.`,
    forSupport("Find out why it was revoked before you promise anything."),
    forOperations("If the partner may still read programs, issue a new one.", create(token)),
  );
}

function replaced(
  token: RegisteredToken,
  revokedAt: string,
  replacement: RegisteredToken,
  newest: RegisteredToken,
  now: Date,
): RealCause {
  const chain = newest === replacement ? "" : ` (by now replaced by ${newest.tokenId})`;
  const isUsable = usableSuccessor([newest], now) !== undefined;
  return cause(
    `The access key ${named(token)} was replaced on ${plainTime(revokedAt)} by ${replacement.tokenId}${chain}. The partner still uses the old one.`,
    forSupport(
      isUsable
        ? "Ask the partner to use the new one, which was handed over when the old one was replaced."
        : "Tell the partner that a new access key is on its way: the one that replaced it is no longer good either.",
      "token list",
    ),
    isUsable
      ? forOperations(
          "Only if the new one is lost: nobody can see it again, so replace it once more. That stops it wherever it is in use.",
          `token rotate ${newest.tokenId}`,
        )
      : forOperations("If the partner may still read programs, issue a new one.", create(token)),
  );
}

function named({ tokenId, name }: RegisteredToken): string {
  return name === null ? tokenId : `${tokenId} (${name})`;
}

function create({ tenantId }: RegisteredToken): string {
  return `token create --tenant ${tenantId}`;
}

function cause(summary: string, ...steps: readonly Step[]): RealCause {
  return { summary, next: nextStep(...steps) };
}
