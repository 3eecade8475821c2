import type { Fix, SourceProblem } from "../../publish/source/source-problem.ts";

/** A finding about a view, or about none. Whoever knows them adds its column, its count and examples. */
export function viewProblem<Code extends string>(
  code: Code,
  severity: SourceProblem["severity"],
  view: string | null,
  message: string,
  fix: Fix,
): SourceProblem<Code> {
  return { severity, code, view, column: null, message, fix, count: null, examples: [] };
}

export function advice(text: string): Fix {
  return { kind: "advice", text };
}

/** A finding for people names so many of the rows that it is about. */
export const maxExamples = 5;

/** A finding for programs has so many distinct values. */
export const maxValues = 100;
