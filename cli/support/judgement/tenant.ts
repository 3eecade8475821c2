import { plainTime, type Reader } from "../../output/times.ts";
import type { TenantFacts, TenantsReading } from "../facts/tenants.ts";
import { failureOf, holdWords, leftOutPrograms, type TenantWay, tenantWay } from "./builds.ts";
import { type Concern, type ConcernKind, concern, worstFirst } from "./concern.ts";
import { answerConcerns, gatewayConcerns } from "./gateways.ts";
import { keyConcerns } from "./key.ts";
import { correctStep, damageSteps, guardSteps } from "./remedies.ts";
import { buildCommand, clause, counted, every, forOperations, forSupport, type Step } from "./step.ts";

/** A tenant with its judgement. Every command and page prints this one. */
export interface JudgedTenant extends TenantFacts {
  readonly way: TenantWay;
  /** What somebody should look at, the worst first; empty when all is well. */
  readonly concerns: readonly Concern[];
  /** When the next build is due, by the usual interval; `null` when that is not known. */
  readonly nextDueAt: string | null;
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
    concerns: reading.gateways === null ? [] : gatewayConcerns(reading.gateways, reader),
  };
}

/** Judges a tenant, for every command and page (P53, P77). Pure. */
export function judgedTenant(facts: TenantFacts, reader: Reader): JudgedTenant {
  const way = tenantWay(facts, reader.now);
  const { lastTry, notInSource, usualIntervalMs } = facts;
  const isBuilt = notInSource === null && !isGone(facts);
  const due =
    isBuilt && lastTry && usualIntervalMs !== null ? Date.parse(lastTry.triedAt) + usualIntervalMs : null;
  return {
    ...facts,
    way,
    concerns: worstFirst(concernsOf({ ...facts, way }, reader)),
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

type Facts = TenantFacts & { readonly way: TenantWay };

function concernsOf(facts: Facts, reader: Reader): readonly Concern[] {
  const { tenantId, live, fault, damage, removal, rename, notInSource, lastRun, hold } = facts;
  const bad = (kind: ConcernKind, text: string, more = {}) => concern(kind, "bad", tenantId, text, more);
  const doubtful = (kind: ConcernKind, text: string, more = {}) =>
    concern(kind, "doubtful", tenantId, text, more);
  if (rename !== null) return [doubtful("renamed", renamedText(facts, rename, reader), renamedSteps(facts))];
  // Nobody is served, so no other concern matters to partners.
  if (removal !== null && removal.openKeys === 0) {
    const text = `removed on ${plainTime(removal.removedAt, reader)}: its access keys ended, and partners get 401 (unauthorized)`;
    return [doubtful("removed", text)];
  }
  const found: (Concern | undefined)[] = [
    removal === null
      ? undefined
      : bad("unfinished_removal", unfinishedText(removal, reader), { steps: [removeStep(tenantId)] }),
    fault === null
      ? undefined
      : bad("damaged", `partners get 500 (internal error): a published file is damaged; ${clause(fault)}`, {
          steps: damageSteps(tenantId, hold !== null, notInSource === null),
        }),
    damage === null
      ? undefined
      : bad("damaged", damageText(damage), {
          at: damage.foundAt,
          programs: damage.programs,
          steps: damageSteps(tenantId, hold !== null, notInSource === null),
        }),
    live === null && fault === null
      ? bad("never_published", "partners get 500 (internal error): nothing was ever published", {
          steps: [forOperations("Build it.", buildCommand(tenantId))],
        })
      : undefined,
    live?.programs === 0
      ? bad("empty", "partners get an empty list: the live snapshot has no program", {
          at: live.publishedAt,
          steps: [
            forSupport(
              "Look which programs the booking system has, and why they are not published.",
              `source preview --tenant ${tenantId}`,
            ),
          ],
        })
      : undefined,
    // Builds pass over a tenant that the source does not list, so missing builds are no concern.
    ...(notInSource === null ? [ofBuilds(facts, reader), ofKeeper(facts, reader)] : []),
    notInSource === null
      ? undefined
      : doubtful(
          "not_in_source",
          `the source did not list this tenant on ${plainTime(notInSource, reader)}; ${live === null ? "nothing of it is published" : "it keeps its last snapshot"}`,
          { steps: unlistedSteps(tenantId) },
        ),
    hold === null
      ? undefined
      : doubtful("held", `held ${holdWords(hold, reader)}`, {
          steps: [
            forSupport(
              "Ask operations whether the reason of the hold is gone. Until the hold ends builds take out what the source withdraws, and nothing else.",
            ),
            forOperations(
              "When it is, end the hold and build.",
              `snapshot release --tenant ${tenantId}`,
              buildCommand(tenantId),
            ),
          ],
        }),
    ofLeftOut(facts, doubtful),
    ofShrinking(facts, doubtful),
    ...keyConcerns(facts, reader),
    ...answerConcerns(facts),
  ];
  return found.filter((known) => known !== undefined);

  function ofBuilds({ way: { builds }, usualIntervalMs }: Facts, reader: Reader): Concern | undefined {
    const build = buildCommand(tenantId);
    switch (builds.kind) {
      case "running":
        return undefined;
      case "unseen":
        return doubtful("unseen", "no build is on record, so how old the data is is not known", {
          steps: [forOperations("Build now, and see that builds come by themselves.", build)],
        });
      case "interrupted":
        return doubtful(
          "interrupted",
          `the last build was stopped before it was done (${plainTime(builds.at, reader)})`,
          {
            steps: [forOperations("Build now, and see that builds come by themselves.", build)],
          },
        );
      case "silent": {
        const usual = usualIntervalMs === null ? "" : `; usually one comes ${every(usualIntervalMs)}`;
        return bad(
          "silent",
          `no build has ended since ${plainTime(builds.at, reader)}, much longer than usual${usual}${lastEnding(facts)}`,
          {
            steps: [
              forSupport("Tell operations that no build comes."),
              forOperations(
                "Find out what stopped the cron job or `snapshot watch`, start it again, and build.",
                build,
              ),
            ],
          },
        );
      }
      case "failing": {
        const since =
          builds.lastGoodAt === null
            ? ""
            : `, none got through since ${plainTime(builds.lastGoodAt, reader)}`;
        return bad(
          "failing",
          `builds fail (the last one ${plainTime(builds.at, reader)}${since})${reason(facts)}`,
          {
            steps: [
              forSupport("Tell operations that builds fail."),
              forOperations("Mend what the last run says, then build.", "source check", build),
            ],
          },
        );
      }
    }
  }

  function ofKeeper({ way: { keeper } }: Facts, reader: Reader): Concern | undefined {
    if (keeper.kind === "guard") {
      return bad("guard", `the last build was refused (${plainTime(keeper.at, reader)})${reason(facts)}`, {
        steps: guardSteps(tenantId, keeper.guard),
      });
    }
    if (keeper.kind !== "faults") return undefined;
    return bad("faults", `builds stop at faulty programs (${plainTime(keeper.at, reader)})${reason(facts)}`, {
      programs: keeper.programs,
      steps: [
        correctStep(tenantId, keeper.programs),
        forOperations(
          "Then build; or build without the faulty programs.",
          buildCommand(tenantId),
          buildCommand(tenantId, "--on-invalid report"),
        ),
      ],
    });
  }

  function ofLeftOut({ lastRun }: Facts, make: typeof doubtful): Concern | undefined {
    const programs = leftOutPrograms(lastRun);
    if (programs.length === 0) return undefined;
    const count = programs.length === 1 ? "1 program" : `${programs.length} programs`;
    return make("left_out", `last run left out ${count} with an error`, {
      at: lastRun?.finishedAt ?? null,
      programs,
      steps: [correctStep(tenantId, programs)],
    });
  }

  function ofShrinking({ live, mostPrograms }: Facts, make: typeof doubtful): Concern | undefined {
    if (live === null || live.programs === 0 || mostPrograms === null) return undefined;
    const lost = mostPrograms.programs - live.programs;
    if (lost < minLost || lost * 5 < mostPrograms.programs) return undefined;
    const text = `the list shrinks: ${live.programs} programs, ${mostPrograms.programs} lately`;
    return make("shrinking", text, {
      at: mostPrograms.generatedAt,
      steps: [forSupport("See which programs went.", `snapshot diff --tenant ${tenantId}`)],
    });
  }

  /** How the last build ended. This still holds while no other build comes. */
  function lastEnding(of: Facts): string {
    const message = failureOf(of)?.message;
    if (message !== undefined) return `; the last one did not get through: ${clause(message)}`;
    return of.lastTry?.outcome === "interrupted" ? "; that one was stopped before it was done" : "";
  }

  function reason(of: Facts): string {
    const message =
      failureOf(of)?.message ??
      (of.lastTry?.outcome === lastRun?.outcome ? lastRun?.failure?.message : undefined);
    return message === undefined ? "" : `: ${clause(message)}`;
  }
}

/** Smaller losses happen every day. */
const minLost = 3;

function renamedText(
  { tenantId, removal }: Facts,
  rename: NonNullable<Facts["rename"]>,
  reader: Reader,
): string {
  const rest = removal === null ? "" : "; what was stored of it is removed";
  return `${tenantId} is ${rename.tenantId} now: its access keys were moved on ${plainTime(rename.at, reader)}, and partners see the programs of ${rename.tenantId}${rest}`;
}

function renamedSteps({ tenantId, rename, removal }: Facts): Partial<Concern> {
  const look = forSupport(
    "Look at the tenant that it is now.",
    `snapshot status --tenant ${rename?.tenantId ?? ""}`,
  );
  const tidy = forOperations(
    `Take ${tenantId} out of the source, then remove what is stored of it.`,
    `tenant remove ${tenantId} --purge`,
  );
  return { at: rename?.at ?? null, steps: removal === null ? [look, tidy] : [look] };
}

function unfinishedText({ removedAt, openKeys }: NonNullable<Facts["removal"]>, reader: Reader): string {
  const keys = openKeys === 1 ? "1 access key was" : `${openKeys} access keys were`;
  return `a removal that began on ${plainTime(removedAt, reader)} did not end: ${keys} not revoked; run \`tenant remove\` again`;
}

function damageText({ files }: NonNullable<Facts["damage"]>): string {
  return `partners get 500 (internal error) for ${counted(files, "published file")} that \`snapshot verify\` found damaged`;
}

function removeStep(tenantId: string): Step {
  return forOperations("Run the removal again.", `tenant remove ${tenantId}`);
}

function unlistedSteps(tenantId: string): readonly Step[] {
  return [
    forSupport("Find out whether the tenant should still be sold."),
    forOperations(
      "If so, list it in the view partner_source.tenants again; if not, remove it.",
      `tenant remove ${tenantId}`,
    ),
  ];
}
