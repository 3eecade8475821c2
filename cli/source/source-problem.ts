/** Why the source breaks its contract; what each says is in `check-structure.ts`. */
export type StructureCode =
  | "schema_missing"
  | "schema_denied"
  | "view_missing"
  | "view_denied"
  | "view_unreadable"
  | "column_missing"
  | "column_type";

/** What mends a problem: SQL to paste into `psql`, a command of this program, or work that only people can do. */
export interface Fix {
  readonly kind: "sql" | "command" | "advice";
  readonly text: string;
}

/** Rows that a finding is about; ids as the source has them, possibly ill-formed. */
export interface ProblemExample {
  readonly tenantId: string | null;
  readonly programId: string | null;
  /** The offending value, shortened. */
  readonly value: string | null;
}

/** One finding about the source. */
export interface SourceProblem<Code extends string = string> {
  /** An error keeps something from being published; a warning says what is dropped or blanked. */
  readonly severity: "error" | "warning";
  readonly code: Code;
  /** Name in the schema `partner_source`; `null` when it concerns the whole schema. */
  readonly view: string | null;
  readonly column: string | null;
  readonly message: string;
  readonly fix: Fix;
  /** Rows concerned; `null` when it concerns no rows. */
  readonly count: number | null;
  /** At most five. */
  readonly examples: readonly ProblemExample[];
}

export type StructureProblem = SourceProblem<StructureCode>;
