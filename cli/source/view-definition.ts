import { escapeIdentifier } from "pg";
import { sqlTypes } from "./column-type.ts";
import type { ContractView } from "./contract.ts";

/** A relation of the schema `partner_source` as it stands. */
export interface ExistingRelation {
  readonly name: string;
  /** The query behind a view; `null` for tables and materialized views. */
  readonly definition: string | null;
  /** All columns, in order. */
  readonly columns: readonly string[];
  /** Roles that may read it, its owner apart; `PUBLIC` for all. */
  readonly readers: readonly string[];
}

/** An empty view with the contract's columns, for data that a company does not have. */
export function standInView(view: ContractView): string {
  const columns = Object.entries(view.columns).map(([name, kind]) => `NULL::${sqlTypes[kind]} AS ${name}`);
  return `CREATE VIEW partner_source.${view.name} AS\n  SELECT ${columns.join(", ")}\n   WHERE false;`;
}

/**
 * A script that gives the view the contract's columns: `casts` has an expression for each column that is of a wrong
 * type or missing. Other columns stay. A view is redefined over its own query; anything else is renamed and gets a
 * view in front of it, since its stored values should not be touched.
 */
export function redefinedView(
  view: ContractView,
  existing: ExistingRelation,
  casts: Readonly<Record<string, string>>,
): string {
  const wanted = Object.keys(view.columns);
  const others = existing.columns.filter((column) => !wanted.includes(column));
  const selected = [...wanted, ...others].map((column) => {
    const cast = casts[column];
    const name = wanted.includes(column) ? column : escapeIdentifier(column);
    return cast === undefined ? name : `${cast} AS ${name}`;
  });
  const target = `partner_source.${view.name}`;
  const behind = `partner_source.${view.name}_behind`;
  const query = existing.definition?.trim().replace(/;$/, "");
  const [makeRoom, source] =
    query === undefined
      ? [`ALTER TABLE ${target} RENAME TO ${view.name}_behind;`, behind]
      : [`DROP VIEW ${target};`, `(\n${query}\n  ) AS source`];
  const grant =
    existing.readers.length === 0
      ? []
      : [`GRANT SELECT ON ${target} TO ${existing.readers.map(roleName).join(", ")};`];
  return [
    "BEGIN;",
    makeRoom,
    `CREATE VIEW ${target} AS\n  SELECT ${selected.join(",\n         ")}\n  FROM ${source};`,
    ...grant,
    "COMMIT;",
  ].join("\n");
}

export function roleName(role: string): string {
  return role === "PUBLIC" ? role : escapeIdentifier(role);
}
