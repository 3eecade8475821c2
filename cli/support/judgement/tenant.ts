import { tokenStatus } from "../../../core/token-registry.ts";
import { counted } from "../../output/counted.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { TenantFacts, TenantsReading } from "../facts/tenants.ts";
import { answerConcerns, gatewayConcerns } from "./answers.ts";
import { type BuildState, buildStateOf, failureOf, holdWords } from "./builds.ts";
import { type Concern, concern, worstFirst } from "./concern.ts";
import { keyConcerns } from "./key.ts";
import {
  correctStep,
  damageSteps,
  faultsSteps,
  guardSteps,
  releaseStep,
  sandboxSteps,
  sharedSteps,
  silentSteps,
  startStep,
  unlistedSteps,
} from "./remedies.ts";
import { buildCommand, clause, forOperations, forSupport, lengthOf } from "./step.ts";

export interface JudgedTenant extends TenantFacts {
  readonly buildState: BuildState;
  /** The concerns about the tenant, the worst first; empty when all is well. */
  readonly concerns: readonly Concern[];
}

export interface JudgedTenants extends Omit<TenantsReading, "tenants"> {
  readonly tenants: readonly JudgedTenant[];
  /** The concerns of all tenants together. */
  readonly concerns: readonly Concern[];
}

export function judgedTenants(reading: TenantsReading, reader: Reader): JudgedTenants {
  return {
    ...reading,
    tenants: reading.tenants.map((facts) => judgedTenant(facts, reader)),
    concerns: reading.gateways === null ? [] : [...gatewayConcerns(reading.gateways, reader)],
  };
}

/** Judges a tenant, for every command and page (P53, P77). Pure. */
export function judgedTenant(facts: TenantFacts, reader: Reader): JudgedTenant {
  const buildState = buildStateOf(facts, reader);
  const concerns = worstFirst([...concernsOf({ ...facts, buildState }, reader)]);
  return { ...facts, buildState, concerns };
}

/** When the tenant was removed and its access keys ended, so that nobody is served any more (P91); `null` for others. */
export function goneSince({ removal }: Pick<TenantFacts, "removal">): string | null {
  return removal !== null && removal.openKeys === 0 ? removal.removedAt : null;
}

/** Whether the source, the store and the runs know nothing of the tenant. */
export function isUnknown({ live, fault, removal, lastRun }: TenantFacts): boolean {
  // A run that was started with a wrong tenant id does not make that tenant known (P82).
  const isNamed = (lastRun?.failure?.code ?? (lastRun === null ? "not_found" : "")) !== "not_found";
  return live === null && fault === null && removal === null && !isNamed;
}

/** The number of access keys that are in force; `null` when the list of keys could not be read. */
export function usableKeys({ keys }: Pick<TenantFacts, "keys">, now: Date): number | null {
  return keys === null ? null : keys.filter((token) => tokenStatus(token, now) === "active").length;
}

type Facts = TenantFacts & { readonly buildState: BuildState };

/** The table of cases for a tenant. */
function* concernsOf(facts: Facts, reader: Reader): Generator<Concern> {
  const { tenantId, live, fault, removal, notInSource, hold, lastRun } = facts;
  const goneAt = goneSince(facts);
  if (goneAt !== null) {
    const text = `removed on ${plainTime(goneAt, reader)}: its access keys ended, and partners get 401 (unauthorized)`;
    // Where nobody is served, no other concern matters to partners.
    yield concern("removed", tenantId, text);
    return;
  }
  if (removal !== null) {
    const { removedAt, openKeys } = removal;
    const keys = openKeys === 1 ? "1 access key was" : `${openKeys} access keys were`;
    const text = `a removal that began on ${plainTime(removedAt, reader)} did not end: ${keys} not revoked; run \`tenant remove\` again`;
    const steps = [forOperations("Run the removal again.", `tenant remove ${tenantId}`)];
    yield concern("unfinished_removal", tenantId, text, { steps });
  }
  const mending = facts.isSandbox ? sandboxSteps : damageSteps(tenantId, hold !== null, notInSource === null);
  if (fault !== null) {
    const text = `partners get 500 (internal error): a published file is damaged; ${clause(fault)}`;
    yield concern("damaged", tenantId, text, { steps: mending });
  }
  if (live === null && fault === null) {
    const build = forOperations("Build it.", buildCommand(tenantId));
    const steps = facts.isSandbox ? sandboxSteps : [build];
    const text = "partners get 500 (internal error): nothing was ever published";
    yield concern("never_published", tenantId, text, { steps });
  }
  if (live?.programs === 0) {
    const look = "Look which programs the booking system has, and why they are not published.";
    const text = "partners get an empty list: the live snapshot has no program";
    const steps = [forSupport(look, `source preview --tenant ${tenantId}`)];
    yield concern("empty", tenantId, text, { at: live.publishedAt, steps });
  }
  if (notInSource !== null) {
    const kept = live === null ? "nothing of it is published" : "it keeps its last snapshot";
    const text = `the source did not list this tenant on ${plainTime(notInSource, reader)}; ${kept}`;
    yield concern("not_in_source", tenantId, text, { steps: unlistedSteps(tenantId) });
  } else if (!facts.isSandbox) {
    // Builds pass over a tenant that the source does not list, so missing builds are no concern there.
    yield* buildConcerns(facts, reader);
  }
  if (hold !== null) {
    const ask =
      "Ask operations whether the reason of the hold is gone. Until the hold ends builds take out what the source withdraws, and nothing else.";
    const steps = [forSupport(ask), releaseStep(tenantId)];
    yield concern("held", tenantId, `held ${holdWords(hold, reader)}`, { steps });
  }
  const { programs_shared: shared = 0 } = lastRun?.problemCounts ?? {};
  if (shared > 0) {
    const text = "the last run found programs that another tenant has, too";
    const steps = sharedSteps(tenantId);
    yield concern("programs_shared", tenantId, text, { at: lastRun?.finishedAt ?? null, steps });
  }
  if (lastRun !== null && lastRun.failure === null && lastRun.leftOutCount > 0) {
    const { leftOut: programs, leftOutCount, finishedAt: at } = lastRun;
    const text = `last run left out ${counted(leftOutCount, "program")} with an error`;
    yield concern("left_out", tenantId, text, { at, programs, steps: [correctStep(tenantId, programs)] });
  }
  yield* keyConcerns(facts, reader);
  yield* answerConcerns(facts);
}

/** Whether builds come, and what keeps them from publishing. */
function* buildConcerns(facts: Facts, reader: Reader): Generator<Concern> {
  const { tenantId, buildState, lastTry } = facts;
  const { builds, block } = buildState;
  const failure = failureOf(facts)?.message;
  const reason = (before: string): string => (failure === undefined ? "" : `${before}${clause(failure)}`);
  const when = (at: string): string => plainTime(at, reader);
  switch (builds.kind) {
    case "running":
      break;
    case "unseen": {
      const text = "no build is on record, so how old the data is is not known";
      yield concern("unseen", tenantId, text, { steps: [startStep(tenantId)] });
      break;
    }
    case "interrupted": {
      const text = `the last build was stopped before it was done (${when(builds.at)})`;
      yield concern("interrupted", tenantId, text, { steps: [startStep(tenantId)] });
      break;
    }
    case "silent": {
      // How the last build ended still holds while no other build comes.
      const ending =
        lastTry?.outcome === "interrupted"
          ? "; that one was stopped before it was done"
          : reason("; the last one did not get through: ");
      const text = `no build has ended since ${when(builds.at)}, and one should come within ${lengthOf(builds.withinMs)}${ending}`;
      yield concern("silent", tenantId, text, { steps: silentSteps(tenantId) });
      break;
    }
    case "failing": {
      const { at, lastGoodAt } = builds;
      const since = lastGoodAt === null ? "" : `, none got through since ${when(lastGoodAt)}`;
      const text = `builds fail (the last one ${when(at)}${since})${reason(": ")}`;
      const steps = [
        forSupport("Tell operations that builds fail."),
        forOperations("Mend what the last run says, then build.", "source check", buildCommand(tenantId)),
      ];
      yield concern("failing", tenantId, text, { steps });
    }
  }
  if (block.kind === "guard") {
    const steps = guardSteps(tenantId, block.guard);
    const text = `the last build was refused (${when(block.at)})${reason(": ")}`;
    yield concern("guard", tenantId, text, { steps });
  } else if (block.kind === "faults") {
    const { at, programs } = block;
    const steps = faultsSteps(tenantId, programs);
    const text = `builds stop at faulty programs (${when(at)})${reason(": ")}`;
    yield concern("faults", tenantId, text, { programs, steps });
  }
}
