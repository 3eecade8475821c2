import type { CauseProblem } from "../../publish/source/source-problem.ts";

/** What warnings of why a view gives too few rows have in common. */
export function ofView(view: string): Omit<CauseProblem, "code" | "message" | "fix"> {
  return { severity: "warning", view, column: null, count: null, examples: [] };
}
