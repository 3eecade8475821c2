import type { TenantId } from "../../../core/ground/ids.ts";
import type { ProgramChange } from "../../output/field-words.ts";
import type { ProgramInSource, ProgramInStore } from "../facts/program.ts";
import type { TenantFacts } from "../facts/tenants.ts";
import type { Need } from "./builds.ts";
import type { Judgement, MaybeStep } from "./steps.ts";

export interface ProgramFacts {
  readonly tenantId: TenantId;
  /** The id in the question, which may be ill-formed. */
  readonly programId: string;
  readonly tenant: TenantFacts;
  readonly source: ProgramInSource;
  readonly store: ProgramInStore;
  /** The judgement of the program that the booking system has under nearly this id. */
  readonly otherSpelling: (ProgramJudgement & Pick<ProgramFacts, "programId">) | null;
  /** The differences between the served program and the source's; `null` when one of them is not known. */
  readonly changes: readonly ProgramChange[] | null;
}

export interface ProgramJudgement extends Judgement {
  /** Such as `served_differs/held`: the standing, and the obstacle when there may be one. */
  readonly row: string;
  readonly answer: 200 | 400 | 401 | 404 | 500;
  readonly verdict: Verdict;
}

/** A `correction` waits for somebody to correct the booking data. A build then brings the program. */
type StandingRow = readonly [
  answer: ProgramJudgement["answer"],
  verdict: string,
  need?: Need | "correction",
  effect?: string,
];

/**
 * P47: all standings: the status that a partner with a good access key gets for `/v1/programs/{id}` (401 when
 * the tenant is removed); the verdict, which is the case in one word for programs (docs/json.md); what the
 * program waits for, if for anything, and what a build does when nothing stands in its way.
 */
const standings = {
  served_same: [200, "served"],
  served_dropped: [200, "served", "correction"],
  served_differs: [200, "served_outdated", "change", "bring partners the new version"],
  served_withdrawn: [200, "served_leaving", "withdrawal", "take it out"],
  served_absent: [200, "served_leaving", "loss", "take it out"],
  served_unlisted: [200, "served_unlisted"],
  served_faulty: [200, "served_invalid", "loss", "leave it out, so that partners no longer see it"],
  served_stopping: [200, "served_invalid", "correction"],
  served_unchecked: [200, "served_unchecked"],
  missing_waiting: [404, "waiting", "change", "bring it to partners"],
  missing_unpublishable: [404, "not_publishable", "correction"],
  missing_faulty: [404, "invalid", "correction"],
  missing_stopping: [404, "invalid", "correction"],
  missing_gone: [404, "unknown_program", "correction"],
  missing_near: [404, "unknown_program"],
  missing_spelled: [404, "unknown_program"],
  missing_elsewhere: [404, "unknown_program"],
  missing_unknown: [404, "unknown_program"],
  missing_unlisted: [404, "unknown_tenant"],
  missing_unchecked: [404, "unserved_unchecked"],
  unpublished: [500, "unpublished_tenant", "change", "publish the tenant for the first time"],
  // Where there is no store, no build changes anything.
  "unpublished/none": [500, "unpublished_tenant"],
  unpublished_unchecked: [500, "unpublished_tenant"],
  unpublished_unlisted: [500, "unknown_tenant"],
  removed: [401, "removed_tenant"],
  damaged: [500, "damaged_store"],
  malformed_id: [400, "malformed_id"],
} as const satisfies Readonly<Record<string, StandingRow>>;

export type StandingName = keyof typeof standings;
export type Verdict = (typeof standings)[StandingName][1];

export function standingRow(name: StandingName): StandingRow & { readonly 1: Verdict } {
  return standings[name];
}

export function verdictTone(verdict: Verdict): "good" | "doubtful" | "bad" {
  if (verdict === "served") return "good";
  return verdict.startsWith("served") || verdict === "waiting" ? "doubtful" : "bad";
}

/** When the tenant was removed and its keys ended: nobody is served any more (P91); else `null`. */
export function goneSince({ removal }: Pick<TenantFacts, "removal">): string | null {
  return removal !== null && removal.openKeys === 0 ? removal.removedAt : null;
}

/** What partners see of a program now, and the first steps. */
export interface Standing {
  readonly name: StandingName;
  /** The obstacle tells what will follow. */
  readonly now: string;
  readonly steps: readonly MaybeStep[];
}
