import { counted } from "../../output/counted.ts";
import { plainTime, type Reader } from "../../output/times.ts";
import type { TenantFacts, TenantsReading } from "../facts/tenants.ts";
import { type BuildState, buildStateOf, failureOf, holdWords, leftOutPrograms } from "./builds.ts";
import { type Concern, type ConcernKind, concern, worstFirst } from "./concern.ts";
import { answerConcerns, gatewayConcerns } from "./gateways.ts";
import { keyConcerns } from "./key.ts";
import {
  correctStep,
  damageSteps,
  faultsSteps,
  guardSteps,
  releaseStep,
  silentSteps,
  startStep,
  unlistedSteps,
} from "./remedies.ts";
import { buildCommand, clause, every, forOperations, forSupport } from "./step.ts";

export interface JudgedTenant extends TenantFacts {
  readonly buildState: BuildState;
  /** The concerns about the tenant, the worst first; empty when all is well. */
  readonly concerns: readonly Concern[];
  /** When the next build is due, by the usual interval; `null` when that is not known. */
  readonly nextDueAt: string | null;
}

export interface JudgedTenants extends Omit<TenantsReading, "tenants"> {
  readonly tenants: readonly JudgedTenant[];
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
  const buildState = buildStateOf(facts, reader.now);
  const { lastTry, notInSource, usualIntervalMs } = facts;
  const isBuilt = notInSource === null && !isGone(facts);
  const due =
    isBuilt && lastTry && usualIntervalMs !== null ? Date.parse(lastTry.triedAt) + usualIntervalMs : null;
  return {
    ...facts,
    buildState,
    concerns: worstFirst([...concernsOf({ ...facts, buildState }, reader)]),
    nextDueAt: due === null ? null : new Date(due).toISOString(),
  };
}

/** Whether nobody is served any more, because the access keys have ended or belong to another tenant (P91). */
export function isGone({ removal, rename }: Pick<TenantFacts, "removal" | "rename">): boolean {
  return rename !== null || (removal !== null && removal.openKeys === 0);
}

/** Whether the source, the store and the runs know nothing of the tenant. */
export function isUnknown({ live, fault, removal, rename, lastRun }: TenantFacts): boolean {
  // A run that was started with a wrong tenant id does not make that tenant known (P82).
  const isNamed = (lastRun?.failure?.code ?? (lastRun === null ? "not_found" : "")) !== "not_found";
  return live === null && fault === null && removal === null && rename === null && !isNamed;
}

type Facts = TenantFacts & { readonly buildState: BuildState };
type More = Parameters<typeof concern>[4];

function* concernsOf(facts: Facts, reader: Reader): Generator<Concern> {
  const { tenantId, live, fault, removal, rename, notInSource, hold } = facts;
  const bad = (kind: ConcernKind, text: string, more?: More) => concern(kind, "bad", tenantId, text, more);
  const doubtful = (kind: ConcernKind, text: string, more?: More) =>
    concern(kind, "doubtful", tenantId, text, more);
  // Where nobody is served, no other concern matters to partners.
  if (rename !== null) {
    yield doubtful("renamed", renamedText(facts, rename, reader), renamedMore(facts, rename));
    return;
  }
  if (removal?.openKeys === 0) {
    const removed = plainTime(removal.removedAt, reader);
    const text = `removed on ${removed}: its access keys ended, and partners get 401 (unauthorized)`;
    yield doubtful("removed", text);
    return;
  }
  if (removal !== null) {
    const steps = [forOperations("Run the removal again.", `tenant remove ${tenantId}`)];
    yield bad("unfinished_removal", unfinishedText(removal, reader), { steps });
  }
  const mending = { steps: damageSteps(tenantId, hold !== null, notInSource === null) };
  if (fault !== null) {
    const text = `partners get 500 (internal error): a published file is damaged; ${clause(fault)}`;
    yield bad("damaged", text, mending);
  }
  if (live === null && fault === null) {
    const steps = [forOperations("Build it.", buildCommand(tenantId))];
    yield bad("never_published", "partners get 500 (internal error): nothing was ever published", { steps });
  }
  if (live?.programs === 0) {
    const look = "Look which programs the booking system has, and why they are not published.";
    const steps = [forSupport(look, `source preview --tenant ${tenantId}`)];
    const text = "partners get an empty list: the live snapshot has no program";
    yield bad("empty", text, { at: live.publishedAt, steps });
  }
  if (notInSource !== null) {
    const kept = live === null ? "nothing of it is published" : "it keeps its last snapshot";
    const text = `the source did not list this tenant on ${plainTime(notInSource, reader)}; ${kept}`;
    yield doubtful("not_in_source", text, { steps: unlistedSteps(tenantId) });
  } else {
    // Builds pass over a tenant that the source does not list, so missing builds are no concern there.
    const found = [buildsConcern(facts, reader), keeperConcern(facts, reader)];
    yield* found.filter((known) => known !== undefined);
  }
  if (hold !== null) {
    const ask =
      "Ask operations whether the reason of the hold is gone. Until the hold ends builds take out what the source withdraws, and nothing else.";
    yield doubtful("held", `held ${holdWords(hold, reader)}`, {
      steps: [forSupport(ask), releaseStep(tenantId)],
    });
  }
  const programs = leftOutPrograms(facts.lastRun);
  if (programs.length > 0) {
    yield doubtful("left_out", `last run left out ${counted(programs.length, "program")} with an error`, {
      at: facts.lastRun?.finishedAt ?? null,
      programs,
      steps: [correctStep(tenantId, programs)],
    });
  }
  const lost = lostPrograms(facts);
  if (lost !== null) {
    yield doubtful("shrinking", `the list shrinks: ${live?.programs} programs, ${lost.programs} lately`, {
      at: lost.generatedAt,
      steps: [forSupport("See which programs went.", `snapshot diff --tenant ${tenantId}`)],
    });
  }
  yield* keyConcerns(facts, reader);
  yield* answerConcerns(facts);
}

function buildsConcern(facts: Facts, reader: Reader): Concern | undefined {
  const { tenantId, buildState, usualIntervalMs } = facts;
  const { builds } = buildState;
  switch (builds.kind) {
    case "running":
      return undefined;
    case "unseen": {
      const text = "no build is on record, so how old the data is is not known";
      return concern("unseen", "doubtful", tenantId, text, { steps: [startStep(tenantId)] });
    }
    case "interrupted": {
      const text = `the last build was stopped before it was done (${plainTime(builds.at, reader)})`;
      return concern("interrupted", "doubtful", tenantId, text, { steps: [startStep(tenantId)] });
    }
    case "silent": {
      const usual = usualIntervalMs === null ? "" : `; usually one comes ${every(usualIntervalMs)}`;
      const text = `no build has ended since ${plainTime(builds.at, reader)}, much longer than usual${usual}${lastEnding(facts)}`;
      return concern("silent", "bad", tenantId, text, { steps: silentSteps(tenantId) });
    }
    case "failing": {
      const { at, lastGoodAt } = builds;
      const since = lastGoodAt === null ? "" : `, none got through since ${plainTime(lastGoodAt, reader)}`;
      const text = `builds fail (the last one ${plainTime(at, reader)}${since})${reason(facts, ": ")}`;
      const steps = [
        forSupport("Tell operations that builds fail."),
        forOperations("Mend what the last run says, then build.", "source check", buildCommand(tenantId)),
      ];
      return concern("failing", "bad", tenantId, text, { steps });
    }
  }
}

function keeperConcern(facts: Facts, reader: Reader): Concern | undefined {
  const { tenantId, buildState } = facts;
  const { keeper } = buildState;
  if (keeper.kind === "none" || keeper.kind === "held") return undefined;
  const when = `(${plainTime(keeper.at, reader)})${reason(facts, ": ")}`;
  if (keeper.kind === "guard") {
    const steps = guardSteps(tenantId, keeper.guard);
    return concern("guard", "bad", tenantId, `the last build was refused ${when}`, { steps });
  }
  const { programs } = keeper;
  const steps = faultsSteps(tenantId, programs);
  return concern("faults", "bad", tenantId, `builds stop at faulty programs ${when}`, { programs, steps });
}

/** How the last build ended. This still holds while no other build comes. */
function lastEnding(facts: Facts): string {
  const failed = reason(facts, "; the last one did not get through: ");
  if (failed !== "") return failed;
  return facts.lastTry?.outcome === "interrupted" ? "; that one was stopped before it was done" : "";
}

function reason(facts: Facts, before: string): string {
  const message = failureOf(facts)?.message;
  return message === undefined ? "" : `${before}${clause(message)}`;
}

/**
 * The earlier snapshot with the most programs, if so many are lost since that somebody should look. Small losses happen every
 * day.
 */
function lostPrograms({ live, mostPrograms }: Facts): Facts["mostPrograms"] {
  if (live === null || live.programs === 0 || mostPrograms === null) return null;
  const lost = mostPrograms.programs - live.programs;
  return lost >= minLost && lost * 5 >= mostPrograms.programs ? mostPrograms : null;
}

const minLost = 3;

function renamedText(
  { tenantId, removal }: Facts,
  rename: NonNullable<Facts["rename"]>,
  reader: Reader,
): string {
  const rest = removal === null ? "" : "; what was stored of it is removed";
  return `${tenantId} is ${rename.tenantId} now: its access keys were moved on ${plainTime(rename.at, reader)}, and partners see the programs of ${rename.tenantId}${rest}`;
}

function renamedMore({ tenantId, removal }: Facts, rename: NonNullable<Facts["rename"]>): More {
  const status = `snapshot status --tenant ${rename.tenantId}`;
  const look = forSupport("Look at the tenant that it is now.", status);
  const tidy = forOperations(
    `Take ${tenantId} out of the source, then remove what is stored of it.`,
    `tenant remove ${tenantId} --purge`,
  );
  return { at: rename.at, steps: removal === null ? [look, tidy] : [look] };
}

function unfinishedText({ removedAt, openKeys }: NonNullable<Facts["removal"]>, reader: Reader): string {
  const keys = openKeys === 1 ? "1 access key was" : `${openKeys} access keys were`;
  return `a removal that began on ${plainTime(removedAt, reader)} did not end: ${keys} not revoked; run \`tenant remove\` again`;
}
