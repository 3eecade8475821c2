import type { SourceClient } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { counted } from "../../output/counted.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { ProblemExample, SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { advice, maxExamples, viewProblem } from "./view-problem.ts";

/** SQLSTATE of bytes that are no text in the encoding that they are said to have. */
export function isOfEncoding(error: Error): boolean {
  return hasSqlState(error, "22021");
}

/**
 * P152: texts that PostgreSQL cannot send. A database with the encoding SQL_ASCII takes any bytes for text, and refuses those that
 * are not UTF-8 only when somebody reads them, naming neither view nor row. Finds each column that has such texts. In a database of another encoding there are none, so nothing is looked at.
 */
export async function misencodedTexts(client: SourceClient): Promise<readonly SourceProblem[]> {
  const { rows } = await client.query<{ server_encoding: string }>("SHOW server_encoding");
  if (rows[0]?.server_encoding !== "SQL_ASCII") return [];
  const found: SourceProblem[] = [];
  for (const { name: view, columns } of contractViews) {
    const texts = Object.entries(columns).filter(([, kind]) => kind === "text" || kind === "text[]");
    const reading = await tryReading(client, () => client.query<Misencoded>(misencodedQuery(view, texts)));
    if (!("result" in reading)) continue;
    for (const row of reading.result.rows) found.push(misencoded(view, row));
  }
  return found;
}

interface Misencoded {
  readonly column: string;
  readonly count: number;
  readonly examples: readonly Omit<ProblemExample, "value">[];
}

function misencoded(view: string, { column, count, examples }: Misencoded): SourceProblem {
  const [first] = examples;
  const program = first?.programId === null ? "" : ` program ${first?.programId} of the`;
  const message = `Reading partner_source.${view} fails: the column ${column} has bytes that are not UTF-8 in ${counted(count, "row")}, first of the${program} tenant ${first?.tenantId}. The database's encoding is SQL_ASCII, which takes any bytes for text.`;
  const hint = "convert_from(convert(convert_to(value::text, 'SQL_ASCII'), 'WIN1252', 'UTF8'), 'SQL_ASCII')";
  const fix = advice(
    `read ${column} as what it is in the query of partner_source.${view} (${hint}, with the encoding that wrote it in place of WIN1252)`,
  );
  const problem = viewProblem("view_unreadable", "error", view, message, fix);
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
