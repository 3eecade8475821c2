import type { TenantId } from "../../../core/ids.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import type { ProgramInStore } from "../facts/program-in-store.ts";
import type { Need } from "./obstacle.ts";
import type { GarbledText } from "./problem-words.ts";
import type { Judgement, Step } from "./step.ts";
import type { JudgedTenant } from "./tenant.ts";

export interface ProgramFacts {
  readonly tenantId: TenantId;
  /** The id in the question, which may be ill-formed. */
  readonly programId: string;
  readonly tenant: JudgedTenant;
  readonly source: ProgramInSource;
  readonly store: ProgramInStore;
  /** The judgement of the program that the booking system has under nearly this id. */
  readonly otherSpelling: (ProgramJudgement & Pick<ProgramFacts, "programId">) | null;
  /** The differences between the served program and the source's; `null` when one of them is not known. */
  readonly changes: readonly ProgramChange[] | null;
  /** Texts that look encoded twice, as the source has them, or else as they are served. */
  readonly garbled: readonly GarbledText[];
}

export interface ProgramJudgement extends Judgement {
  /** The standing, and the obstacle when there may be one, such as `served_differs/held`. */
  readonly row: string;
  readonly answer: Answer;
  readonly verdict: Verdict;
}

/**
 * All cases: the status that a partner with a good access key gets for `/v1/programs/{id}` (401 when the tenant is removed), and
 * the verdict, which is the case in one word, for programs. docs/json.md documents the words.
 */
const standings = {
  served_same: [200, "served"],
  served_dropped: [200, "served"],
  served_differs: [200, "served_outdated"],
  served_withdrawn: [200, "served_leaving"],
  served_absent: [200, "served_leaving"],
  served_unlisted: [200, "served_unlisted"],
  served_faulty: [200, "served_invalid"],
  served_stopping: [200, "served_invalid"],
  served_unchecked: [200, "served_unchecked"],
  missing_waiting: [404, "waiting"],
  missing_unpublishable: [404, "not_publishable"],
  missing_faulty: [404, "invalid"],
  missing_stopping: [404, "invalid"],
  missing_gone: [404, "unknown_program"],
  missing_near: [404, "unknown_program"],
  missing_spelled: [404, "unknown_program"],
  missing_elsewhere: [404, "unknown_program"],
  missing_unknown: [404, "unknown_program"],
  missing_unlisted: [404, "unknown_tenant"],
  missing_unchecked: [404, "unserved_unchecked"],
  unpublished: [500, "unpublished_tenant"],
  // Where there is no store, no build changes anything.
  "unpublished/none": [500, "unpublished_tenant"],
  unpublished_unchecked: [500, "unpublished_tenant"],
  unpublished_unlisted: [500, "unknown_tenant"],
  removed: [401, "removed_tenant"],
  damaged: [500, "damaged_store"],
  malformed_id: [400, "malformed_id"],
} as const;

type StandingName = keyof typeof standings;
type Answer = (typeof standings)[StandingName][0];
export type Verdict = (typeof standings)[StandingName][1];

export function verdictTone(verdict: Verdict): "good" | "doubtful" | "bad" {
  if (verdict === "served") return "good";
  return verdict.startsWith("served") || verdict === "waiting" ? "doubtful" : "bad";
}

/** What partners see of a program now, and what a build may change. */
export interface Standing {
  readonly name: StandingName;
  readonly answer: Answer;
  readonly verdict: Verdict;
  /** What partners see now, and what the source has. The obstacle tells what will follow. */
  readonly now: string;
  /** What a build does when nothing stands in its way. Absent when no build changes anything. */
  readonly build?: { readonly need: Need; readonly effect: string };
  /** Whether a build brings the program after somebody has corrected the booking data. */
  readonly isToBeCorrected?: boolean;
  readonly steps?: readonly (Step | undefined)[];
}

export function standing(
  name: StandingName,
  now: string,
  more: Pick<Standing, "build" | "isToBeCorrected" | "steps"> = {},
): Standing {
  const [answer, verdict] = standings[name];
  return { answer, name, verdict, now, ...more };
}
