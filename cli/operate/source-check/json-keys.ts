import { escapeIdentifier } from "pg";
import type { SourceClient } from "../../database/connect.ts";
import { isJson } from "../../publish/source/column-type.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { CatalogSchema } from "../../publish/source/read-structure.ts";
import type { JsonKeys } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";

/**
 * P151: the keys of objects in JSON columns that must be texts or lists of texts, those with texts behind them first. An object as a
 * whole is nobody's text, and only the rows say what is in it. Columns that cannot be read have no keys here.
 */
export async function readJsonKeys(client: SourceClient, schema: CatalogSchema): Promise<JsonKeys> {
  const found = new Map<string, readonly string[]>();
  for (const { name: view, columns } of contractViews) {
    for (const [column, kind] of Object.entries(columns)) {
      const existing = schema.relations
        .find(({ name }) => name === view)
        ?.columns.find(({ name }) => name === column);
      if (existing === undefined || !isJson(existing.type)) continue;
      const value = `${escapeIdentifier(column)}::jsonb`;
      const query = keysQuery(view, kind === "text" ? `jsonb_build_array(${value})` : elements(value));
      const reading = await tryReading(client, () => client.query<{ key: string }>(query));
      if (!("result" in reading) || reading.result.rows.length === 0) continue;
      found.set(
        `${view}.${column}`,
        reading.result.rows.map(({ key }) => key),
      );
    }
  }
  return found;
}

const triedRows = 10_000;
const maxKeys = 8;

/** Keys that no script and no terminal has trouble with; others are for people to name. */
const plainKey = "^[A-Za-z0-9_][A-Za-z0-9_ .-]{0,59}$";

function keysQuery(view: string, list: string): string {
  return `
  SELECT field.key
    FROM (SELECT * FROM partner_source.${view} LIMIT ${triedRows}) AS seen,
         jsonb_array_elements(${list}) AS list (element),
         jsonb_each(CASE jsonb_typeof(element) WHEN 'object' THEN element ELSE '{}' END) AS field (key, value)
   WHERE field.key ~ '${plainKey}'
   GROUP BY field.key
   ORDER BY count(*) FILTER (WHERE jsonb_typeof(field.value) = 'string') DESC, field.key COLLATE "C"
   LIMIT ${maxKeys}`;
}

function elements(list: string): string {
  return `CASE jsonb_typeof(${list}) WHEN 'array' THEN ${list} ELSE '[]' END`;
}
