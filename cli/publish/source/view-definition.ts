import { escapeIdentifier } from "pg";
import { singleLine } from "../../../core/printable.ts";
import { sqlTypes } from "./column-type.ts";
import type { ContractView } from "./contract.ts";
import type { CatalogRelation, Grant } from "./read-structure.ts";

/** An expression that gives a column the contract's type, and a note about the values that it changes. */
export interface ColumnCast {
  readonly sql: string;
  readonly loss: string | undefined;
}

/** The SQL of an empty view with the contract's columns, for data that a company does not have. */
export function standInView(view: ContractView): string {
  const columns = Object.entries(view.columns).map(([name, kind]) => `NULL::${sqlTypes[kind]} AS ${name}`);
  return `CREATE VIEW partner_source.${view.name} AS\n  SELECT ${columns.join(", ")}\n   WHERE false;`;
}

/**
 * A script that gives the view the contract's columns (P105, P153), with the `casts` for columns that are missing or of a wrong
 * type. Other columns, owner, rights, options and comments stay, and nothing that depends on the view is dropped: a view that
 * only lacks columns is replaced in place. A table, or a view that others read, gets a name that is not `taken`, and a new view
 * is put in front of it.
 */
export function redefinedView(
  view: ContractView,
  existing: CatalogRelation,
  casts: Readonly<Record<string, ColumnCast>>,
  taken: ReadonlySet<string>,
): string {
  const target = `partner_source.${view.name}`;
  const query = existing.definition?.trim().replace(/;$/, "");
  const isExtended = Object.keys(casts).every((name) =>
    existing.columns.every((column) => column.name !== name),
  );
  const losses = Object.values(casts).flatMap(({ loss }) => (loss === undefined ? [] : [`-- ${loss}`]));
  if (query !== undefined && isExtended) {
    const create = `CREATE OR REPLACE VIEW ${target}${optionsOf(existing)}`;
    return [...losses, created(create, replacedColumns(existing, casts), `(\n${query}\n  ) AS source`)].join(
      "\n",
    );
  }
  const names = selectedColumns(view, existing, casts);
  const create = `CREATE VIEW ${target}${optionsOf(existing)}`;
  const isKept = query === undefined || existing.dependents.length > 0;
  const behind = freeName(`${view.name}_behind`, taken);
  const readers = existing.dependents.map(
    // A line break in a name would end the comment, and PostgreSQL would run the rest of the name.
    (dependent) => singleLine(`-- goes on with partner_source.${behind}: ${dependent}`),
  );
  return [
    "BEGIN;",
    ...losses,
    ...readers,
    isKept
      ? `ALTER ${query === undefined ? "TABLE" : "VIEW"} ${target} RENAME TO ${behind};`
      : `DROP VIEW ${target};`,
    created(create, names, isKept ? `partner_source.${behind}` : `(\n${query}\n  ) AS source`),
    `ALTER VIEW ${target} OWNER TO ${existing.owner};`,
    ...regranted(target, existing),
    ...comments(target, existing),
    "COMMIT;",
  ].join("\n");
}

export function roleName(role: string): string {
  return role === "PUBLIC" ? role : escapeIdentifier(role);
}

function created(create: string, columns: readonly string[], source: string): string {
  return `${create} AS\n  SELECT ${columns.join(",\n         ")}\n  FROM ${source};`;
}

function selectedColumns(
  { columns }: ContractView,
  existing: CatalogRelation,
  casts: Readonly<Record<string, ColumnCast>>,
): readonly string[] {
  const wanted = Object.keys(columns);
  const others = existing.columns.map(({ name }) => name).filter((name) => !wanted.includes(name));
  return [
    ...wanted.map((name) => (casts[name] === undefined ? name : `${casts[name].sql} AS ${name}`)),
    ...others.map(escapeIdentifier),
  ];
}

/** The columns for CREATE OR REPLACE VIEW, which wants the existing ones first and in their order. */
function replacedColumns(
  existing: CatalogRelation,
  casts: Readonly<Record<string, ColumnCast>>,
): readonly string[] {
  return [
    ...existing.columns.map(({ name }) => escapeIdentifier(name)),
    ...Object.entries(casts).map(([name, { sql }]) => `${sql} AS ${name}`),
  ];
}

/** The options to keep. CHECK OPTION is not one, because PostgreSQL refuses it for a view over a query. */
function optionsOf({ options, definition }: CatalogRelation): string {
  const kept = definition === null ? [] : options.filter((option) => option.startsWith("security_"));
  return kept.length === 0 ? "" : ` WITH (${kept.join(", ")})`;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let nth = 2; taken.has(free); nth += 1) free = `${name}_${nth}`;
  return free;
}

function comments(target: string, { comment, columns }: CatalogRelation): readonly string[] {
  const ofColumns = columns.flatMap((column) =>
    column.comment === null
      ? []
      : [`COMMENT ON COLUMN ${target}.${escapeIdentifier(column.name)} IS ${literal(column.comment)};`],
  );
  return [...(comment === null ? [] : [`COMMENT ON VIEW ${target} IS ${literal(comment)};`]), ...ofColumns];
}

/** The text as an SQL literal on one line, because scripts are shown indented. */
function literal(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll("'", "''")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");
  return `${escaped.includes("\\") ? "E" : ""}'${escaped}'`;
}

/**
 * The statements that give the new view the rights of the relation that it replaces (P105). All other rights are revoked, also
 * those that the database grants by default. In front of a table, only reading is granted.
 */
function regranted(target: string, relation: CatalogRelation): readonly string[] {
  const { grants, grantedByDefault, definition, owner } = relation;
  const isView = definition !== null;
  const wanted = (grants ?? []).filter(({ privilege }) => isView || privilege === "SELECT");
  const ofOwner = wanted.filter(({ grantee, column }) => grantee === owner && column === null);
  const isOwnerLimited =
    isView &&
    wanted.some(({ column }) => column === null) &&
    ownerRights.some((right) => !has(ofOwner, right));
  const revoked = [...grantedByDefault, ...(isOwnerLimited ? [owner] : [])];
  const granted = wanted.filter(({ grantee }) => grantee !== owner || isOwnerLimited);
  return [
    ...(revoked.length === 0 ? [] : [`REVOKE ALL ON ${target} FROM ${revoked.join(", ")};`]),
    ...grouped(granted).map(
      ([{ grantee, column, isGrantable }, rights]) =>
        `GRANT ${rights.map((right) => (column === null ? right : `${right} (${column})`)).join(", ")} ON ${target} TO ${grantee}${isGrantable ? " WITH GRANT OPTION" : ""};`,
    ),
  ];
}

/** The rights that every version of PostgreSQL gives the owner of a relation. */
const ownerRights = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];

function has(grants: readonly Grant[], right: string): boolean {
  return grants.some(({ privilege }) => privilege === right);
}

function grouped(grants: readonly Grant[]): readonly (readonly [Grant, readonly string[]])[] {
  const groups = new Map<string, [Grant, string[]]>();
  for (const grant of grants) {
    const key = JSON.stringify([grant.grantee, grant.column, grant.isGrantable]);
    const group = groups.get(key) ?? [grant, []];
    groups.set(key, group);
    group[1].push(grant.privilege);
  }
  return [...groups.values()];
}
