import { singleLine } from "../../../core/ground/printable.ts";

/** How to mend a problem: SQL for `psql`, a command of this program, or advice on what only people can do. */
export interface Fix {
  readonly kind: "sql" | "command" | "advice";
  readonly text: string;
}

/** A value with its first row, or a tenant. The ids are as the source has them, possibly ill-formed. */
export interface ProblemExample {
  readonly tenantId: string | null;
  readonly programId: string | null;
  /** The offending value, shortened. */
  readonly value: string | null;
  /** How many rows have this value, its first one named; left out when a whole tenant is meant. */
  readonly count?: number;
}

/** One finding about the source. */
export interface SourceProblem<Code extends string = string> {
  /** An error keeps something unpublished, a warning names what is dropped, a hint what is probably wrong. */
  readonly severity: "error" | "warning" | "hint";
  readonly code: Code;
  /** The view's name in the schema `partner_source`; `null` when the finding concerns the whole schema. */
  readonly view: string | null;
  readonly column: string | null;
  readonly message: string;
  readonly fix: Fix;
  /** How many rows have the problem; `null` when it concerns no rows. */
  readonly count: number | null;
  /** Distinct values, the most frequent first, at most a hundred; or at most five tenants. */
  readonly examples: readonly ProblemExample[];
}

/** The lines that tell how to mend a problem. They are indented, to stand below its message. */
export function fixLines({ kind, text }: Fix): readonly string[] {
  switch (kind) {
    case "advice":
      return [singleLine(`    Fix: ${text}.`.replace(/\.\.$/, "."))];
    case "command":
      return [singleLine(`    Fix: run ${text}`)];
    // D134: the generator's role may neither grant nor alter.
    case "sql":
      return ["    Fix, to paste into psql as the owner of the views:", singleLine(`      ${text}`)];
  }
}
