import { type ColumnKind, type ProgramView, sourceViews, viewNames } from "./contract.ts";

/** `text` and `list` (a `text[]`) can have any size; `fixed` are integers and dates. `sql` is the selected expression. */
export interface SourceColumn {
  readonly name: string;
  readonly kind: "text" | "list" | "fixed";
  readonly sql: string;
}

/** The views whose rows belong to a program, `programs` itself first. */
export const programViews: readonly ProgramView[] = viewNames().filter((view) => view !== "tenants");

export type ChildView = Exclude<ProgramView, "programs">;
export const childViews: readonly ChildView[] = programViews.filter((view) => view !== "programs");

/**
 * The condition for rows of the tenant `$1`, whose id is compared by its bytes (D130). It is compared as it is, to use an index,
 * and then as text, because types and collations such as citext and ICU treat different ids as equal. `$1` takes the column's
 * type, so it is cast, too. `nullif` wraps the second comparison, since PostgreSQL would take two plain ones for independent and
 * expect far too few rows.
 */
export const ofTenant =
  'tenant_id = $1 AND nullif(tenant_id::text COLLATE "C" = $1::text, false) IS NOT NULL';

const reading: Readonly<Record<ColumnKind, (name: string) => Omit<SourceColumn, "name">>> = {
  text: (name) => ({ kind: "text", sql: `${name}::text` }),
  numeric: (name) => ({ kind: "text", sql: `${name}::text` }),
  "text[]": (name) => ({ kind: "list", sql: `${name}::text[]` }),
  int: (name) => ({ kind: "fixed", sql: name }),
  date: (name) => ({ kind: "fixed", sql: `${name}::text` }),
};

/** The columns that are read from each view, beside the ids of tenant and program. */
export const viewColumns = Object.fromEntries(
  programViews.map((view) => [view, columnsOf(view)]),
) as Readonly<Record<ProgramView, readonly SourceColumn[]>>;

/** The columns whose values can be of any size, in the view's order. */
export function sizedColumns(view: ProgramView): readonly SourceColumn[] {
  return viewColumns[view].filter(({ kind }) => kind !== "fixed");
}

function columnsOf(view: ProgramView): readonly SourceColumn[] {
  return sourceViews[view].columns.map(([name, kind]) => ({ name, ...reading[kind](name) }));
}
