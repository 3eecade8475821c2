import type { SourceClient } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { counted } from "../../output/counted.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { CatalogSchema } from "../../publish/source/read-structure.ts";
import type { ProblemExample, SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { type ColumnCast, redefinedView } from "../../publish/source/view-definition.ts";
import { maxExamples, viewProblem } from "./view-problem.ts";

/** SQLSTATE of bytes that are no text in the encoding that they are said to have. */
export function isOfEncoding(error: Error): boolean {
  return hasSqlState(error, "22021");
}

/**
 * P152: texts that PostgreSQL cannot send. A database with the encoding SQL_ASCII takes any bytes for text, and refuses those that
 * are not UTF-8 only when somebody reads them, naming neither view nor row. Finds each column that has such texts, and the SQL that
 * reads them as what they are. In a database of another encoding there are none, so nothing is looked at.
 */
export async function misencodedTexts(
  client: SourceClient,
  schema: CatalogSchema,
): Promise<readonly SourceProblem[]> {
  const { rows } = await client.query<{ server_encoding: string }>("SHOW server_encoding");
  if (rows[0]?.server_encoding !== "SQL_ASCII") return [];
  const taken = new Set(schema.relations.map(({ name }) => name));
  const found: SourceProblem[] = [];
  for (const view of contractViews) {
    const relation = schema.relations.find(({ name }) => name === view.name);
    const columns = Object.entries(view.columns).filter(([, kind]) => kind === "text" || kind === "text[]");
    const reading = await tryReading(client, () =>
      client.query<Misencoded>(misencodedQuery(view.name, columns)),
    );
    if (relation === undefined || !("result" in reading) || reading.result.rows.length === 0) continue;
    const casts: Record<string, ColumnCast> = {};
    for (const { column } of reading.result.rows) {
      const sql = view.columns[column] === "text[]" ? decodedList(column) : decoded(column);
      const loss = `${column} is taken to be WIN1252 where it is not UTF-8: put the encoding that wrote it in its place`;
      casts[column] = { sql, loss };
    }
    const script = redefinedView(view, relation, casts, taken);
    for (const row of reading.result.rows) found.push(misencoded(view.name, row, script));
  }
  return found;
}

interface Misencoded {
  readonly column: string;
  readonly count: number;
  readonly examples: readonly Omit<ProblemExample, "value">[];
}

function misencoded(view: string, { column, count, examples }: Misencoded, script: string): SourceProblem {
  const [first] = examples;
  const program = first?.programId === null ? "" : ` program ${first?.programId} of the`;
  const message = `Reading partner_source.${view} fails: the column ${column} has bytes that are not UTF-8 in ${counted(count, "row")}, first of the${program} tenant ${first?.tenantId}. The database's encoding is SQL_ASCII, which takes any bytes for text.`;
  const problem = viewProblem("view_unreadable", "error", view, message, { kind: "sql", text: script });
  return { ...problem, column, count, examples: examples.map((one) => ({ ...one, value: "not UTF-8" })) };
}

/** In SQL_ASCII a pattern goes byte by byte. */
const utf8 =
  "'^([\\x01-\\x7f]|[\\xc2-\\xdf][\\x80-\\xbf]|[\\xe0-\\xef][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3})*$'";

/** A program whose id cannot be sent is named by the id before it. */
function misencodedQuery(view: string, columns: readonly (readonly [string, string])[]): string {
  const cells = columns.map(([name, kind]) =>
    kind === "text" ? `('${name}', v.${name}::text)` : `('${name}', array_to_string(v.${name}::text[], ' '))`,
  );
  const id = (row: string) => (view === "tenants" ? "NULL::text" : `${row}.program_id::text COLLATE "C"`);
  const before = `(SELECT 'after ' || max(${id("o")}) FROM partner_source.${view} AS o
                    WHERE o.tenant_id::text = tenant AND ${id("o")} < id AND ${id("o")} ~ ${utf8})`;
  return `
  SELECT name AS column, max(total)::int AS count,
         json_agg(json_build_object('tenantId', tenant, 'programId', CASE WHEN id ~ ${utf8} THEN id ELSE ${before} END)
                  ORDER BY tenant, id) AS examples
    FROM (SELECT v.tenant_id::text COLLATE "C" AS tenant, ${id("v")} AS id, cell.name,
                 count(*) OVER (PARTITION BY cell.name) AS total,
                 row_number() OVER (PARTITION BY cell.name ORDER BY v.tenant_id::text COLLATE "C", ${id("v")}) AS nth
            FROM partner_source.${view} AS v, LATERAL (VALUES ${cells.join(", ")}) AS cell (name, text)
           WHERE cell.text !~ ${utf8}) AS found
   WHERE nth <= ${maxExamples}
   GROUP BY name
   ORDER BY name`;
}

function decoded(column: string): string {
  return `CASE WHEN ${column}::text ~ ${utf8} THEN ${column}::text ELSE convert_from(convert(convert_to(${column}::text, 'SQL_ASCII'), 'WIN1252', 'UTF8'), 'SQL_ASCII') END`;
}

function decodedList(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN ARRAY(SELECT ${decoded("element")} FROM unnest(${column}) AS element) END`;
}
