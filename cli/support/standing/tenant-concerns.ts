import { plainTime } from "../plain-time.ts";
import type { LastTry } from "../read-confirmed.ts";
import type { UnfinishedRemoval } from "../read-removed.ts";
import { type LastRun, leftOut } from "../run-history.ts";
import type { Builds, Hold, Keeper, TenantWay } from "./tenant-way.ts";

/** Something about a tenant that somebody should look at. */
export interface Concern {
  readonly kind: ConcernKind;
  /** `bad`: partners get errors, an empty list, or data that nobody renews; `doubtful`: somebody may have meant it so. */
  readonly severity: "bad" | "doubtful";
  /** One sentence, for people, without a full stop. */
  readonly text: string;
}

/** The worst first. */
export type ConcernKind =
  | "removed"
  | "unfinished_removal"
  | "damaged"
  | "never_published"
  | "empty"
  | "failing"
  | "silent"
  | "guard"
  | "faults"
  | "not_in_source"
  | "held"
  | "interrupted"
  | "unseen"
  | "left_out";

/** What a tenant's concerns are judged by. */
export interface TenantFacts {
  readonly live: { readonly programs: number } | null;
  readonly fault: string | null;
  readonly removedAt: string | null;
  /** A removal of the tenant that was ended before its access keys were revoked; `null`: there is none. */
  readonly unfinishedRemoval: UnfinishedRemoval | null;
  readonly lastRun: LastRun | null;
  readonly lastTry: LastTry | null;
  readonly notInSource: string | null;
  readonly way: TenantWay;
}

/** P53: what every command and page warns of, by one judgement; the worst first. Pure. */
export function tenantConcerns(facts: TenantFacts): readonly Concern[] {
  const { live, fault, removedAt, unfinishedRemoval, lastRun, lastTry, notInSource, way } = facts;
  // P91: nobody is served, so nothing else about it matters to partners.
  if (removedAt !== null) return [doubtful("removed", removedText(removedAt))];
  // Of a failure that repeats itself a report is stored once.
  const told = lastRun?.outcome === lastTry?.outcome ? lastRun : null;
  const concerns: (Concern | undefined)[] = [
    unfinishedRemoval === null ? undefined : ofUnfinished(unfinishedRemoval),
    fault === null
      ? undefined
      : bad("damaged", `partners get 500 (internal error): a published file is damaged; ${clause(fault)}`),
    live === null && fault === null
      ? bad("never_published", "partners get 500 (internal error): nothing was ever published")
      : undefined,
    live?.programs === 0
      ? bad("empty", "partners get an empty list: the live snapshot has no program")
      : undefined,
    // Builds pass over a tenant that the source does not list: that none comes is no wonder.
    notInSource === null ? ofBuilds(way.builds, told) : undefined,
    notInSource === null ? ofKeeper(way.keeper, told) : undefined,
    notInSource === null
      ? undefined
      : doubtful(
          "not_in_source",
          `the source did not list this tenant on ${plainTime(notInSource)}; it keeps its last snapshot`,
        ),
    way.keeper.kind === "held" ? held(way.keeper.hold) : undefined,
    ofLeftOut(lastRun),
  ];
  return concerns.filter((concern) => concern !== undefined).sort((a, b) => rank(a) - rank(b));
}

function removedText(removedAt: string): string {
  return `removed on ${plainTime(removedAt)}: its access keys ended, and partners get 401 (unauthorized)`;
}

function ofUnfinished({ removedAt, openKeys }: UnfinishedRemoval): Concern {
  const keys = openKeys === 1 ? "1 access key was" : `${openKeys} access keys were`;
  return bad(
    "unfinished_removal",
    `a removal that began on ${plainTime(removedAt)} did not end: ${keys} not revoked; run \`tenant remove\` again`,
  );
}

function ofBuilds(builds: Builds, lastRun: LastRun | null): Concern | undefined {
  switch (builds.kind) {
    case "running":
      return undefined;
    case "unseen":
      return doubtful("unseen", "no build is on record, so how old the data is is not known");
    case "interrupted":
      return doubtful(
        "interrupted",
        `the last build was stopped before it was done (${plainTime(builds.at)})`,
      );
    case "silent":
      return bad("silent", `no build has ended since ${plainTime(builds.at)}, much longer than usual`);
    case "failing": {
      const since =
        builds.lastGoodAt === null ? "" : `, none got through since ${plainTime(builds.lastGoodAt)}`;
      return bad("failing", `builds fail (the last one ${plainTime(builds.at)}${since})${reason(lastRun)}`);
    }
  }
}

function ofKeeper(keeper: Keeper, lastRun: LastRun | null): Concern | undefined {
  switch (keeper.kind) {
    case "none":
    case "held":
      return undefined;
    case "guard":
      return bad("guard", `the last build was refused (${plainTime(keeper.at)})${reason(lastRun)}`);
    case "faults":
      return bad("faults", `builds stop at faulty programs (${plainTime(keeper.at)})${reason(lastRun)}`);
  }
}

function held({ since, reason: why }: Hold): Concern {
  return doubtful("held", `held since ${plainTime(since)}: ${why}`);
}

function ofLeftOut(lastRun: LastRun | null): Concern | undefined {
  const count = leftOut(lastRun);
  if (count === 0) return undefined;
  return doubtful(
    "left_out",
    `last run left out ${count === 1 ? "1 program" : `${count} programs`} with an error`,
  );
}

function reason(lastRun: LastRun | null): string {
  const message = lastRun?.failure?.message;
  return message === undefined ? "" : `: ${clause(message)}`;
}

/** A sentence as the end of another one. */
function clause(message: string): string {
  return message.replace(/\.$/, "");
}

function bad(kind: ConcernKind, text: string): Concern {
  return { kind, severity: "bad", text };
}

function doubtful(kind: ConcernKind, text: string): Concern {
  return { kind, severity: "doubtful", text };
}

const order: readonly ConcernKind[] = [
  "removed",
  "unfinished_removal",
  "damaged",
  "never_published",
  "empty",
  "failing",
  "silent",
  "guard",
  "faults",
  "not_in_source",
  "held",
  "interrupted",
  "unseen",
  "left_out",
];

function rank({ kind }: Concern): number {
  return order.indexOf(kind);
}
