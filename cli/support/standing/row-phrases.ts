import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { forOperations, forSupport, type Step } from "../next-step.ts";
import { problemWords } from "../problem-words.ts";
import { shellWord } from "../shell-word.ts";
import type { Of } from "./standing-row.ts";

/** Phrases that several rows share. */

/** What is published tells no more; the reason stands beside this, and may be a view as well as a server that is away. */
export const askAgain =
  "Where the booking system's database could not be reached, ask again from where it can be; otherwise tell operations.";
export const mendViews: Step = forOperations(
  "If the database was reached, see which view fails or may not be read, and mend it.",
  "source check",
);
export const tenantAdvice =
  "Check the tenant's id. A tenant that should be sold must be in the view partner_source.tenants.";

export function correction(problems: Of<"missing_faulty">["problems"]): Step {
  const fields = [...new Set(problems.map(({ field }) => (field === null ? "It" : fieldLabel(field))))];
  return forSupport(`Have this corrected in the booking system: ${fields.join(", ")}.`);
}

export function problemList(problems: Of<"missing_faulty">["problems"]): string {
  const shown = problems.slice(0, maxShownProblems).map(problemWords);
  const more =
    problems.length > maxShownProblems ? ` (${problems.length - maxShownProblems} more below.)` : "";
  return `${shown.join(" ")}${more}`;
}

const maxShownProblems = 2;

export function didYouMean(near: string): string {
  return ` Did you mean ${near}, which partners see?`;
}

export function explainCommand(tenantId: string, programId: string): string {
  return `snapshot explain --tenant ${shellWord(tenantId)} --program ${shellWord(programId)}`;
}

export function listCommand(tenantId: string): string {
  return `snapshot show --tenant ${tenantId} --list`;
}
