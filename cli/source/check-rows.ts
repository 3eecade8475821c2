import type pg from "pg";
import { type ProblemCode, problemRules, shownValue } from "../public-program/problem.ts";
import { contractViews } from "./contract.ts";
import { type RelationCheck, relationChecks } from "./relation-checks.ts";
import { type RowCheck, rowChecks } from "./row-checks.ts";
import { ofReadValues, programSizeChecks, sizeChecks } from "./size-checks.ts";
import type { SourceLimits } from "./source-limits.ts";
import type { ProblemExample, SourceProblem, StructureCode } from "./source-problem.ts";

export type RowProblem = SourceProblem<ProblemCode | StructureCode>;

/** The rows of the views and what is wrong with them. */
export interface RowReport {
  /** Rows per view; `null` for a view that could not be read. */
  readonly rows: Readonly<Record<string, number | null>>;
  /** In the contract's order of views. */
  readonly problems: readonly RowProblem[];
}

/**
 * Looks for rows that break the contract, with a few set-based queries whatever the number of rows. Expects views
 * whose structure is right (`checkSourceStructure`).
 */
export async function checkSourceRows(client: pg.ClientBase, limits: SourceLimits): Promise<RowReport> {
  const rows: Record<string, number | null> = {};
  const problems: RowProblem[] = [];
  for (const { name } of contractViews) {
    try {
      const found = await checkView(client, name, limits);
      rows[name] = found.rows;
      problems.push(...found.problems);
    } catch (error) {
      if (!isQueryError(error)) throw error;
      rows[name] = null;
      problems.push(unreadable(name, error));
    }
  }
  return { rows, problems };
}

const maxExamples = 5;
/** What is shown is cut to less. */
const maxShownCharacters = 200;

async function checkView(
  client: pg.ClientBase,
  view: string,
  limits: SourceLimits,
): Promise<{ rows: number; problems: readonly RowProblem[] }> {
  const checks = [...sizeChecks(limits), ...rowChecks.map((check) => ofReadValues(check, limits))].filter(
    (check) => check.view === view,
  );
  const counts = checks.map(({ condition }) => `count(*) FILTER (WHERE ${condition})`);
  const { rows } = await client.query<string[]>({
    text: `SELECT ${["count(*)", ...counts].join(",\n")} FROM partner_source.${view}`,
    rowMode: "array",
  });
  const [total = 0, ...found] = (rows[0] ?? []).map(Number);
  const problems: RowProblem[] = [];
  for (const [at, check] of checks.entries()) {
    const count = found[at] ?? 0;
    if (count > 0) problems.push(rowProblem(check, count, await examplesOf(client, check)));
  }
  for (const check of [...programSizeChecks(limits), ...relationChecks]) {
    if (check.view === view) problems.push(...(await checkRelation(client, check)));
  }
  return { rows: total, problems };
}

async function examplesOf(client: pg.ClientBase, check: RowCheck): Promise<readonly ProblemExample[]> {
  const programId = check.view === "tenants" ? "NULL" : "program_id::text";
  const { rows } = await client.query<ExampleRow>(
    `SELECT left(tenant_id::text, ${maxShownCharacters}) AS tenant_id, left(${programId}, ${maxShownCharacters}) AS program_id, left(${check.value}, ${maxShownCharacters}) AS value
       FROM partner_source.${check.view} WHERE ${check.condition} LIMIT ${maxExamples}`,
  );
  return rows.map(example);
}

async function checkRelation(client: pg.ClientBase, check: RelationCheck): Promise<readonly RowProblem[]> {
  const { rows } = await client.query<ExampleRow & { total: string | null }>(
    `SELECT *, sum(rows) OVER ()::text AS total FROM (${check.query}) AS found
      ORDER BY tenant_id, program_id LIMIT ${maxExamples}`,
  );
  const total = Number(rows[0]?.total ?? 0);
  return total === 0 ? [] : [rowProblem(check, total, rows.map(example))];
}

interface ExampleRow {
  readonly tenant_id: string | null;
  readonly program_id: string | null;
  readonly value: string | null;
}

function example({ tenant_id: tenantId, program_id: programId, value }: ExampleRow): ProblemExample {
  return { tenantId: shownValue(tenantId), programId: shownValue(programId), value: shownValue(value) };
}

function rowProblem(
  { code, view, column, advice }: Pick<RowCheck, "code" | "view" | "column" | "advice">,
  count: number,
  examples: readonly ProblemExample[],
): RowProblem {
  const { severity, rule } = problemRules[code];
  return {
    severity,
    code,
    view,
    column,
    message: `${count} ${count === 1 ? "row" : "rows"} of partner_source.${view}: ${rule}.`,
    fix: { kind: "advice", text: advice },
    count,
    examples,
  };
}

/** An error of the query itself, not of the connection: SQLSTATE has five characters. */
function isQueryError(error: unknown): error is Error {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return false;
  return /^[0-9A-Z]{5}$/.test(error.code) && !/^(08|57)/.test(error.code);
}

function unreadable(view: string, error: Error): RowProblem {
  return {
    severity: "error",
    code: "view_unreadable",
    view,
    column: null,
    message: `Reading partner_source.${view} fails: ${error.message}.`,
    fix: { kind: "advice", text: `run SELECT * FROM partner_source.${view} and correct the view` },
    count: null,
    examples: [],
  };
}
