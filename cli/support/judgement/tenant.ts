import { counted, plainTime, type Reader } from "../../output/words.ts";
import type { TenantFacts, TenantsReading } from "../facts/tenants.ts";
import { buildStateOf, buildWithin, failureOf, guardSteps, holdWords, mendRun } from "./builds.ts";
import { type Concern, type ConcernKind, type ConcernMore, concern, worstFirst } from "./concern.ts";
import { answerConcerns, gatewayConcerns, keyConcerns } from "./partner-concerns.ts";
import { difference, massWithdrawal } from "./problem-words.ts";
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

/** What is to be said of a concern, behind its kind and its tenant. */
type Case = readonly [text: string, steps?: readonly Step[], more?: ConcernMore];
type Cases<Kind extends ConcernKind> = Readonly<
  Record<Kind, (facts: TenantFacts, reader: Reader) => Case | false>
>;

function concernsOf(facts: TenantFacts, reader: Reader): readonly Concern[] {
  const { tenantId, isSandbox, notInSource } = facts;
  const goneAt = goneSince(facts);
  if (goneAt !== null) {
    // Where nobody is served, no other concern matters to partners.
    const text = `removed on ${plainTime(goneAt, reader)}: its access keys ended, and partners get 401 (unauthorized)`;
    return [concern("removed", tenantId, text)];
  }
  const found: Concern[] = [];
  const add = (kind: ConcernKind, said: Case | false): void => {
    if (said === false) return;
    const [text, steps, more] = said;
    found.push(concern(kind, tenantId, text, steps, more));
  };
  for (const kind of caseKinds) add(kind, cases[kind](facts, reader));
  // Builds pass over the sandbox and unlisted tenants, so missing builds are no concern there.
  if (notInSource === null && !isSandbox) {
    const { builds, block } = buildStateOf(facts, reader);
    if (builds !== "running") add(builds, buildCases[builds](facts, reader));
    if (block === "guard" || block === "faults") add(block, buildCases[block](facts, reader));
  }
  return [...found, ...keyConcerns(facts, reader), ...answerConcerns(facts, reader)];
}

/** The table of cases for a tenant. Each finds one thing that somebody should look at, or nothing. */
const cases = {
  unfinished_removal({ tenantId, removal }, reader) {
    if (removal === null) return false;
    const keys = removal.openKeys === 1 ? "1 access key was" : `${removal.openKeys} access keys were`;
    const text = `a removal that began on ${plainTime(removal.removedAt, reader)} did not end: ${keys} not revoked; run \`tenant remove\` again`;
    return [text, [forOperations("Run the removal again.", command`tenant remove ${{ tenantId }}`)]];
  },

  damaged({ tenantId, fault, isSandbox, hold, notInSource }) {
    if (fault === null) return false;
    const text = `partners get 500 (internal error): a published file is damaged; ${clause(fault)}`;
    const steps = remedies.damage(tenantId, hold !== null, notInSource === null);
    return [text, isSandbox ? remedies.sandbox : steps];
  },

  never_published({ tenantId, live, fault, isSandbox }) {
    if (live !== null || fault !== null) return false;
    const build = [forOperations("Build it.", commandTo.build(tenantId))];
    const text = "partners get 500 (internal error): nothing was ever published";
    return [text, isSandbox ? remedies.sandbox : build];
  },

  empty({ tenantId, live }) {
    if (live?.programs !== 0) return false;
    const check = "Look which programs the booking system has, and why they are not published.";
    const steps = [forSupport(check, command`source preview --tenant ${{ tenantId }}`)];
    return ["partners get an empty list: the live snapshot has no program", steps, { at: live.publishedAt }];
  },

  not_in_source({ tenantId, live, notInSource }, reader) {
    if (notInSource === null) return false;
    const kept = live === null ? "nothing of it is published" : "it keeps its last snapshot";
    const text = `the source did not list this tenant on ${plainTime(notInSource, reader)}; ${kept}`;
    return [text, remedies.unlisted(tenantId)];
  },

  held({ tenantId, hold }, reader) {
    if (hold === null) return false;
    const ask =
      "Ask operations whether the reason of the hold is gone. Until the hold ends builds take out what the source withdraws, and nothing else.";
    return [`held ${holdWords(hold, reader)}`, [forSupport(ask), remedies.release(tenantId)]];
  },

  overdue({ overdueSince }) {
    if (overdueSince === undefined) return false;
    const text = "a build of it takes so long that the other tenants do not wait for it any more";
    const check = "Look for a slow view, a lock, or a part of the store that hangs.";
    return [text, [forOperations(check, "source check")], { at: overdueSince }];
  },

  snapshot_differs(facts, reader) {
    const found = difference(facts, reader);
    if (found === undefined) return false;
    const verify = command`snapshot verify --tenant ${{ tenantId: facts.tenantId }}`;
    const report = forOperations("See that all is whole now, and report the run to the developers.", verify);
    return [found.text, [report], { at: found.at }];
  },

  mostly_withdrawn(facts, reader) {
    const found = massWithdrawal(facts, reader);
    if (found === undefined) return false;
    const mend = "If not, mend the states in the view `programs`, and build.";
    const build = forOperations(mend, commandTo.build(facts.tenantId));
    return [found.text, [found.step, build], { at: found.at }];
  },

  programs_shared({ tenantId, lastRun }) {
    const { programs_shared: shared = 0 } = lastRun?.problemCounts ?? {};
    if (shared === 0) return false;
    // A build that was allowed to has published them; another one would be refused.
    const ask = forSupport("Find out whether both companies really offer those programs.");
    const mend = "If not, take them out of the view, and build.";
    const build = forOperations(mend, "source check", commandTo.build(tenantId));
    const at = lastRun?.finishedAt ?? null;
    return ["the last run found programs that another tenant has, too", [ask, build], { at }];
  },

  left_out({ tenantId, lastRun }) {
    if (lastRun === null || lastRun.failure !== null || lastRun.leftOutCount === 0) return false;
    const { leftOut: programs, leftOutCount, finishedAt: at } = lastRun;
    const text = `last run left out ${counted(leftOutCount, "program")} with an error`;
    return [text, [remedies.correct(tenantId, programs)], { at, programs }];
  },
} as const satisfies Partial<Cases<ConcernKind>>;

const caseKinds = Object.keys(cases) as (keyof typeof cases)[];

/** The same of a tenant's builds: whether they come, and what keeps them from publishing. */
const buildCases: Cases<"unseen" | "interrupted" | "silent" | "failing" | "guard" | "faults"> = {
  unseen({ tenantId }) {
    return ["no build is on record, so how old the data is is not known", [remedies.start(tenantId)]];
  },

  interrupted(facts, reader) {
    const text = `the last build was stopped before it was done (${lastTried(facts, reader)})`;
    return [text, [remedies.start(facts.tenantId)]];
  },

  silent(facts, reader) {
    // How the last build ended still holds while no other build comes.
    const isStopped = facts.lastTry?.outcome === "interrupted";
    const stopped = "; that one was stopped before it was done";
    const ending = isStopped ? stopped : reason(facts, "; the last one did not get through: ");
    const within = lengthOf(buildWithin(reader));
    const text = `no build has ended since ${lastTried(facts, reader)}, and one should come within ${within}${ending}`;
    return [text, remedies.silent(facts.tenantId)];
  },

  failing(facts, reader) {
    const { tenantId, confirmation } = facts;
    const good = confirmation?.confirmedAt ?? null;
    const since = good === null ? "" : `, none got through since ${plainTime(good, reader)}`;
    const text = `builds fail (the last one ${lastTried(facts, reader)}${since})${reason(facts)}`;
    const mend = forOperations(mendRun, "source check", commandTo.build(tenantId));
    return [text, [forSupport("Tell operations that builds fail."), mend]];
  },

  guard(facts, reader) {
    return [`the last build was refused (${lastTried(facts, reader)})${reason(facts)}`, guardSteps(facts)];
  },

  faults(facts, reader) {
    const programs = facts.lastRun?.leftOut ?? [];
    const text = `builds stop at faulty programs (${lastTried(facts, reader)})${reason(facts)}`;
    return [text, remedies.faults(facts.tenantId, programs), { programs }];
  },
};

function lastTried({ lastTry }: TenantFacts, reader: Reader): string {
  return plainTime(lastTry?.triedAt ?? "", reader);
}

function reason(facts: TenantFacts, before = ": "): string {
  const failure = failureOf(facts);
  return failure === null ? "" : `${before}${clause(failure.message)}`;
}
