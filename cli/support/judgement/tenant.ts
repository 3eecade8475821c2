import { isWithinDay } from "../../../core/last-runs.ts";
import { type RegisteredToken, tokenStatus } from "../../../core/token-registry.ts";
import { counted, durationText, numberText, plainTime, type Reader } from "../../output/words.ts";
import type { RequestLogLine } from "../../read/gateway-log/request-line.ts";
import type { TenantFacts, TenantsReading } from "../facts/tenants.ts";
import { buildStateOf, buildWithin, failureOf, guardSteps, holdWords } from "./builds.ts";
import { type Concern, type ConcernKind, type ConcernMore, concern, worstFirst } from "./concern.ts";
import { goneSince } from "./standings.ts";
import {
  clause,
  command,
  commandTo,
  forOperations,
  forSupport,
  lengthOf,
  remedies,
  type Step,
} from "./steps.ts";

export interface JudgedTenant extends TenantFacts {
  /** The concerns about the tenant, the worst first; empty when all is well. */
  readonly concerns: readonly Concern[];
}

export interface JudgedTenants extends Omit<TenantsReading, "tenants"> {
  readonly tenants: readonly JudgedTenant[];
  /** The concerns of all tenants together. */
  readonly concerns: readonly Concern[];
}

export function judgedTenants(reading: TenantsReading, reader: Reader): JudgedTenants {
  const { gateways } = reading;
  const tenants = reading.tenants.map((facts) => judgedTenant(facts, reader));
  return { ...reading, tenants, concerns: gateways === null ? [] : gatewayConcerns(gateways, reader) };
}

/** Judges a tenant, for every command and page (P53). Pure. */
export function judgedTenant(facts: TenantFacts, reader: Reader): JudgedTenant {
  return { ...facts, concerns: worstFirst(concernsOf(facts, reader)) };
}

/** Whether the source, the store and the runs know nothing of the tenant. */
export function isUnknown({ live, fault, removal, lastRun }: TenantFacts): boolean {
  // A run that was started with a wrong tenant id does not make that tenant known (P56).
  const isNamed = lastRun !== null && lastRun.failure?.code !== "not_found";
  return live === null && fault === null && removal === null && !isNamed;
}

/** The number of access keys that are in force; `null` when the list of keys could not be read. */
export function usableKeys({ keys }: Pick<TenantFacts, "keys">, now: Date): number | null {
  return keys === null ? null : keys.filter((token) => tokenStatus(token, now) === "active").length;
}

/** The table of cases for a tenant. */
function concernsOf(facts: TenantFacts, reader: Reader): readonly Concern[] {
  const { tenantId, live, fault, removal, notInSource, hold, lastRun, isSandbox } = facts;
  const when = (at: string): string => plainTime(at, reader);
  const goneAt = goneSince(facts);
  if (goneAt !== null) {
    // Where nobody is served, no other concern matters to partners.
    const text = `removed on ${when(goneAt)}: its access keys ended, and partners get 401 (unauthorized)`;
    return [concern("removed", tenantId, text)];
  }
  const found: Concern[] = [];
  const add = (kind: ConcernKind, text: string, steps: readonly Step[], more?: ConcernMore): void => {
    found.push(concern(kind, tenantId, text, steps, more));
  };
  if (removal !== null) {
    const keys = removal.openKeys === 1 ? "1 access key was" : `${removal.openKeys} access keys were`;
    const text = `a removal that began on ${when(removal.removedAt)} did not end: ${keys} not revoked; run \`tenant remove\` again`;
    add("unfinished_removal", text, [
      forOperations("Run the removal again.", command`tenant remove ${{ tenantId }}`),
    ]);
  }
  if (fault !== null) {
    const text = `partners get 500 (internal error): a published file is damaged; ${clause(fault)}`;
    add(
      "damaged",
      text,
      isSandbox ? remedies.sandbox : remedies.damage(tenantId, hold !== null, notInSource === null),
    );
  } else if (live === null) {
    const text = "partners get 500 (internal error): nothing was ever published";
    const build = [forOperations("Build it.", commandTo.build(tenantId))];
    add("never_published", text, isSandbox ? remedies.sandbox : build);
  }
  if (live?.programs === 0) {
    const look = "Look which programs the booking system has, and why they are not published.";
    const text = "partners get an empty list: the live snapshot has no program";
    const steps = [forSupport(look, command`source preview --tenant ${{ tenantId }}`)];
    add("empty", text, steps, { at: live.publishedAt });
  }
  if (notInSource !== null) {
    const kept = live === null ? "nothing of it is published" : "it keeps its last snapshot";
    const text = `the source did not list this tenant on ${when(notInSource)}; ${kept}`;
    add("not_in_source", text, remedies.unlisted(tenantId));
  } else if (!isSandbox) {
    // Builds pass over a tenant that the source does not list, so missing builds are no concern there.
    addBuildConcerns();
  }
  if (hold !== null) {
    const ask =
      "Ask operations whether the reason of the hold is gone. Until the hold ends builds take out what the source withdraws, and nothing else.";
    add("held", `held ${holdWords(hold, reader)}`, [forSupport(ask), remedies.release(tenantId)]);
  }
  if (facts.overdueSince !== undefined) {
    const text = "a build of it takes so long that the other tenants do not wait for it any more";
    const look = "Look for a slow view, a lock, or a part of the store that hangs.";
    add("overdue", text, [forOperations(look, "source check")], { at: facts.overdueSince });
  }
  const differedAt = lastRun?.differedAt;
  if (differedAt !== undefined && isWithinDay(differedAt, reader.now)) {
    const text = `a run found that what partners got was not what unchanged rows give, and read everything (${when(differedAt)})`;
    const verify = command`snapshot verify --tenant ${{ tenantId }}`;
    const report = forOperations("See that all is whole now, and report the run to the developers.", verify);
    add("snapshot_differs", text, [report], { at: differedAt });
  }
  const most = lastRun?.mostlyWithdrawn;
  if (most !== undefined && isWithinDay(most.at, reader.now)) {
    const added = most.added === 0 ? "" : ` and added ${most.added}`;
    const text = `a build withdrew ${most.withdrawn} of ${counted(most.of, "program")}${added} (${when(most.at)}), as the source states`;
    const look = forSupport("Find out whether the company really took those programs out.");
    const remedy = "If not, mend the states in the view `programs`, and build.";
    add("mostly_withdrawn", text, [look, forOperations(remedy, commandTo.build(tenantId))], { at: most.at });
  }
  const { programs_shared: shared = 0 } = lastRun?.problemCounts ?? {};
  if (shared > 0) {
    // A build that was allowed to has published them; another one would be refused.
    const text = "the last run found programs that another tenant has, too";
    const look = forSupport("Find out whether both companies really offer those programs.");
    const remedy = "If not, take them out of the view, and build.";
    const build = forOperations(remedy, "source check", commandTo.build(tenantId));
    add("programs_shared", text, [look, build], { at: lastRun?.finishedAt ?? null });
  }
  if (lastRun !== null && lastRun.failure === null && lastRun.leftOutCount > 0) {
    const { leftOut: programs, leftOutCount, finishedAt: at } = lastRun;
    const text = `last run left out ${counted(leftOutCount, "program")} with an error`;
    add("left_out", text, [remedies.correct(tenantId, programs)], { at, programs });
  }
  return [...found, ...keyConcerns(facts, reader), ...answerConcerns(facts, reader)];

  /** Whether builds come, and what keeps them from publishing. */
  function addBuildConcerns(): void {
    const { lastTry, confirmation } = facts;
    const { builds, block } = buildStateOf(facts, reader);
    const at = when(lastTry?.triedAt ?? "");
    const failure = failureOf(facts)?.message;
    const reason = (before: string): string => (failure === undefined ? "" : `${before}${clause(failure)}`);
    switch (builds) {
      case "running":
        break;
      case "unseen":
        add("unseen", "no build is on record, so how old the data is is not known", [
          remedies.start(tenantId),
        ]);
        break;
      case "interrupted":
        add("interrupted", `the last build was stopped before it was done (${at})`, [
          remedies.start(tenantId),
        ]);
        break;
      case "silent": {
        // How the last build ended still holds while no other build comes.
        const isStopped = lastTry?.outcome === "interrupted";
        const stopped = "; that one was stopped before it was done";
        const ending = isStopped ? stopped : reason("; the last one did not get through: ");
        const within = lengthOf(buildWithin(reader));
        const text = `no build has ended since ${at}, and one should come within ${within}${ending}`;
        add("silent", text, remedies.silent(tenantId));
        break;
      }
      case "failing": {
        const good = confirmation?.confirmedAt ?? null;
        const since = good === null ? "" : `, none got through since ${when(good)}`;
        const mend = "Mend what the last run says, then build.";
        const steps = [
          forSupport("Tell operations that builds fail."),
          forOperations(mend, "source check", commandTo.build(tenantId)),
        ];
        add("failing", `builds fail (the last one ${at}${since})${reason(": ")}`, steps);
      }
    }
    if (block === "guard") {
      add("guard", `the last build was refused (${at})${reason(": ")}`, guardSteps(facts));
    } else if (block === "faults") {
      const programs = lastRun?.leftOut ?? [];
      const text = `builds stop at faulty programs (${at})${reason(": ")}`;
      add("faults", text, remedies.faults(tenantId, programs), { programs });
    }
  }
}

const dayMs = 86_400_000;

/**
 * Finds keys that end soon or ended lately. A key with a successor is left out, since only the partner can change over. So is a
 * key that had expired when it was issued, as the sandbox's has on purpose.
 */
function keyConcerns(facts: TenantFacts, { now, tokenMaxLifetimeMs }: Reader): readonly Concern[] {
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

/** A token of a tenant without a snapshot would get errors only, so none is issued before there is one (T13). */
export function issueStep({ tenantId }: RegisteredToken, tenant: Pick<TenantFacts, "live"> | null): Step {
  const text = "If the partner may still read programs, issue a new one";
  const issue = command`token create --tenant ${{ tenantId }}`;
  const isPublished = tenant === null || tenant.live !== null;
  if (isPublished) return forOperations(`${text}.`, issue);
  return forOperations(`${text} when the tenant is published.`, commandTo.build(tenantId), issue);
}

/** Finds the concerns of all tenants together in the gateways' answers of the last hour. */
function gatewayConcerns(
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
function answerConcerns(facts: TenantFacts, { now }: Reader): readonly Concern[] {
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
    const look = forSupport("Look at one of these requests, and escalate to operations.", explain);
    const steps = damage === undefined ? [look] : remedies.damage(tenantId, hold !== null);
    concerns.push(concern("answers_failed", tenantId, text, steps, seenIn(last)));
  }
  if (refused > 0) {
    const text = got(refused, "401 (unauthorized): partners use an access key that has ended");
    const hasActive = (usableKeys(facts, now) ?? 0) > 0;
    const look = forSupport(
      "See which access key it is, and tell the partner.",
      command`token list --tenant ${{ tenantId }}`,
    );
    concerns.push(
      concern("answers_refused", tenantId, text, [look], { severity: hasActive ? "doubtful" : "bad" }),
    );
  }
  if (limited > 0) {
    const tell = "See who asks so often, and tell the partner to keep answers for a while.";
    const steps = [forSupport(tell, "token usage --log FILE")];
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
