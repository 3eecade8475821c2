import type { TenantId } from "../../../core/ids.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import type { ProgramInStore } from "../facts/program-in-store.ts";
import type { Need } from "./obstacle.ts";
import type { GarbledText } from "./problem-words.ts";
import { forOperations, forSupport, type NextStep, type Step } from "./step.ts";
import type { JudgedTenant } from "./tenant.ts";

/** Everything that was found out about one program, read once. */
export interface ProgramFacts {
  readonly tenantId: TenantId;
  /** As asked for, so possibly ill-formed. */
  readonly programId: string;
  readonly tenant: JudgedTenant;
  readonly source: ProgramInSource;
  readonly store: ProgramInStore;
  /** The program that the booking system has under nearly this id, judged itself. */
  readonly spelled: (ProgramJudgement & Pick<ProgramFacts, "programId">) | null;
  /** What separates what is served from what the source has now; `null` when not both are known. */
  readonly changes: readonly ProgramChange[] | null;
  /** Texts that look encoded twice, as the source has them, or else as they are served. */
  readonly garbled: readonly GarbledText[];
}

/** What the facts of a program come to. */
export interface ProgramJudgement {
  /** The standing, and where it matters what stands in the way, as `served_differs/held`. */
  readonly row: string;
  readonly answer: Answer;
  readonly verdict: Verdict;
  /** What partners see, why, and what becomes of it, in a few sentences. */
  readonly summary: string;
  readonly next: NextStep;
}

/** What a partner with a good access key gets for `/v1/programs/{id}`; of a removed tenant no key is good. */
export type Answer = 200 | 400 | 401 | 404 | 500;

/** What a standing comes to, in one word for programs; documented in docs/json.md. */
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

/** How a verdict is meant, for whatever shows it in colour. */
export function verdictTone(verdict: Verdict): "good" | "doubtful" | "bad" {
  if (verdict === "served") return "good";
  return verdict.startsWith("served") || verdict === "waiting" ? "doubtful" : "bad";
}

/** How a program stands: what partners see now, and what may follow. */
export interface Standing {
  readonly name: string;
  readonly answer: Answer;
  readonly verdict: Verdict;
  /** What partners see now, and what the booking system says. What will be is the obstacle's to say. */
  readonly now: string;
  /** A build does `effect`, if nothing stands in the way of the need. Without it no build changes anything. */
  readonly build?: { readonly need: Need; readonly effect: string };
  /** Somebody may correct the booking data, and after that a build brings it, if nothing stands in the way. */
  readonly isToBeCorrected?: boolean;
  readonly steps?: readonly (Step | undefined)[];
}

export function flawed(flaws: readonly string[]): string {
  return flaws.length === 0 ? "" : ` Not all of that is as it should be: ${flaws.join(" ")}`;
}

export function flawStep(source: ProgramInSource, garbled: readonly GarbledText[]): Step | undefined {
  if (source.kind !== "publishable") return undefined;
  const fields = [...source.dropped.map(({ field }) => field ?? "id"), ...garbled.map(({ field }) => field)];
  if (fields.length === 0) return undefined;
  return forSupport(
    `Have this corrected in the booking system before that build, if it is not meant so: ${[...new Set(fields.map(fieldLabel))].join(", ")}.`,
  );
}

/** What is published tells no more; the reason stands beside this, and may be a view as well as a server that is away. */
export const askAgain =
  "Where the booking system's database could not be reached, ask again from where it can be; otherwise tell operations.";
export const mendViews: Step = forOperations(
  "If the database was reached, see which view fails or may not be read, and mend it.",
  "source check",
);
export const tenantAdvice =
  "Check the tenant's id. A tenant that should be sold must be in the view partner_source.tenants.";

export function didYouMean(near: string | null): string {
  return near === null ? "" : ` Did you mean ${near}, which partners see?`;
}
