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

/** The status that a partner with a good access key gets for `/v1/programs/{id}`. It is 401 when the tenant is removed. */
export type Answer = 200 | 400 | 401 | 404 | 500;

/** The standing in one word, for programs. docs/json.md documents the words. */
export type Verdict =
  | "served"
  | "served_outdated"
  | "served_leaving"
  | "served_unlisted"
  | "served_invalid"
  | "served_unchecked"
  | "waiting"
  | "not_publishable"
  | "invalid"
  | "unknown_program"
  | "unknown_tenant"
  | "unserved_unchecked"
  | "unpublished_tenant"
  | "removed_tenant"
  | "damaged_store"
  | "malformed_id";

export function verdictTone(verdict: Verdict): "good" | "doubtful" | "bad" {
  if (verdict === "served") return "good";
  return verdict.startsWith("served") || verdict === "waiting" ? "doubtful" : "bad";
}

/** What partners see of a program now, and what a build may change. */
export interface Standing {
  readonly name: string;
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
  answer: Answer,
  name: string,
  verdict: Verdict,
  now: string,
  more: Partial<Standing> = {},
): Standing {
  return { answer, name, verdict, now, ...more };
}
