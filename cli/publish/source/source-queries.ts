import type { ProgramView } from "./contract.ts";
import {
  cappedColumn,
  countedEnrollments,
  measuredEnrollments,
  measuredRows,
  oversizes,
} from "./measured-rows.ts";
import { type ChildName, childViews, ofTenant, type SourceColumn, viewColumns } from "./source-columns.ts";
import type { SourceLimits } from "./source-limits.ts";

/**
 * The queries of the generator: one per view and tenant, `$1` being the tenant. They name every column that is read
 * and nothing else, so that an extra (private) column of a view can never leave the database (D4). Order and grouping use
 * the "C" collation: the same on every server, whatever its locale.
 */
export const tenantsQuery = `
  SELECT left(tenant_id::text, 1000), left(name::text, 1000)
    FROM partner_source.tenants
   ORDER BY tenant_id::text COLLATE "C"`;

/** The same for one tenant: a row, if there is one. */
export const tenantQuery = `
  SELECT FROM partner_source.tenants WHERE tenant_id::text COLLATE "C" = $1 LIMIT 1`;

export const programsQuery = `
  SELECT program_id::text, tenant_id::text, ${plainColumns("programs")}
    FROM partner_source.programs
   WHERE ${ofTenant}
   ORDER BY program_id::text COLLATE "C"`;

/** The ids of the tenant's programs, with their states. */
export const statesQuery = `
  SELECT left(program_id::text, 1000), left(lifecycle_state::text, 1000)
    FROM partner_source.programs
   WHERE ${ofTenant}`;

/**
 * The children of each program as one JSON array of tuples: a tenth of the rows that would cross otherwise. Grouped by
 * the ids as text, too, since a type or a collation may call different ids equal (citext, ICU), and by the ids themselves for
 * their indexes. A database's default collation calls no different texts equal, and costs nothing where it is the column's.
 */
export const childQueries: Readonly<Record<ChildName, string>> = {
  roomPrices: tuplesOf("room_prices"),
  childPrices: tuplesOf("child_prices"),
  hotelStays: tuplesOf("hotel_stays"),
  enrollments: `
  SELECT program_id::text COLLATE "C", tenant_id::text, json_agg(json_build_array(status, role, enrolled))
    FROM ${countedEnrollments} AS counted
   GROUP BY tenant_id, program_id
   ORDER BY 1`,
  staff: tuplesOf("staff"),
  flights: tuplesOf("flights"),
  itinerary: tuplesOf("itinerary"),
  faq: tuplesOf("faq"),
};

/** The views whose rows belong to a program; `programs` itself is the first. */
export const programViews: readonly ProgramView[] = ["programs", ...Object.values(childViews)];

/**
 * Of each program id the sum of the hashes of its rows in all views, which no order of the rows changes, a bit for each view
 * that has one, and how large they are together. What is hashed are the very values that the other queries read. A change
 * goes unseen once in 2^64. `hash_record_extended` takes a third less than hashing the row as text (PostgreSQL 14).
 */
export function programSumsQuery(limits: SourceLimits, views: readonly ProgramView[] = programViews): string {
  return `
  SELECT program_id, sum(hash)::text, bit_or(view)::text, sum(bytes)::text
    FROM (${views.map((view) => rowHashes(view, limits)).join(" UNION ALL")}) AS hashed
   GROUP BY program_id
   ORDER BY program_id`;
}

/** Of each view how large its largest row is, and all that it has of one program. */
export function viewSizesQuery(limits: SourceLimits): string {
  return programViews
    .map((view) => {
      const rows = view === "enrollments" ? measuredEnrollments(limits) : measuredRows(view, limits);
      return `
  SELECT '${view}', max(largest)::text, max(total)::text
    FROM (SELECT max(bytes) AS largest, sum(bytes) AS total FROM ${rows} AS row GROUP BY program_id) AS sized`;
    })
    .join(" UNION ALL");
}

/** Programs that no tenant owns, by the tenant id that they claim. */
export const strayProgramsQuery = `
  SELECT left(p.tenant_id::text, 1000), count(*)::int
    FROM partner_source.programs AS p
   WHERE NOT EXISTS (SELECT FROM partner_source.tenants AS t WHERE t.tenant_id::text COLLATE "C" = p.tenant_id::text COLLATE "C")
   GROUP BY 1
   ORDER BY 1`;

/**
 * The same query for the programs `$2`, an array. By the id as it is, for an index on it; of those that its collation calls equal
 * the ones that are.
 */
export function ofPrograms(query: string): string {
  const wanted = "IN (SELECT unnest($2::text[]))";
  return query.replaceAll(
    `WHERE ${ofTenant}`,
    `WHERE ${ofTenant} AND program_id::text ${wanted} AND program_id::text COLLATE "default" ${wanted}`,
  );
}

/** The same query for the programs from `$2` to `$3`, by the bytes of their ids. */
export function betweenPrograms(query: string): string {
  const id = 'program_id::text COLLATE "C"';
  return query.replaceAll(`WHERE ${ofTenant}`, `WHERE ${ofTenant} AND ${id} >= $2 AND ${id} <= $3`);
}

/** The same query for the programs before `$2`, by the bytes of their ids. */
export function beforeProgram(query: string): string {
  return query.replaceAll(`WHERE ${ofTenant}`, `WHERE ${ofTenant} AND program_id::text COLLATE "C" < $2`);
}

/** The same query for the one program `$2`. */
export function ofOneProgram(query: string): string {
  const narrowed = query.replace(
    `WHERE ${ofTenant}`,
    `WHERE ${ofTenant} AND program_id::text = $2 AND program_id::text COLLATE "default" = $2`,
  );
  // One row is the program, a second one says that it has a double; a third says nothing.
  return `${narrowed} LIMIT 2`;
}

/** Programs of any tenant whose id is that of `$1` but for case and surrounding spaces. */
export const elsewhereQuery = `
  SELECT left(tenant_id::text, 1000), left(program_id::text, 1000)
    FROM partner_source.programs
   WHERE lower(trim(program_id::text)) = lower(trim($1))
   ORDER BY 1, 2
   LIMIT 10`;

/** P144: the listed tenants but `$2` that have programs whose ids are among `$1`, an array. */
export const tenantsOfProgramsQuery = `
  SELECT tenant_id::text COLLATE "C"
    FROM partner_source.programs
   WHERE program_id::text COLLATE "C" IN (SELECT unnest($1::text[]))
     AND tenant_id::text COLLATE "C" <> $2
     AND tenant_id::text COLLATE "C" IN (SELECT tenant_id::text COLLATE "C" FROM partner_source.tenants)
   GROUP BY 1
   ORDER BY count(*) DESC, 1
   LIMIT 20`;

/** Programs of any tenant whose id or name is like each of the patterns `$1`, whatever the case; at most `$2`. */
export const findProgramsQuery = `
  SELECT left(tenant_id::text, 1000), left(program_id::text, 1000), left(name::text, 1000), left(lifecycle_state::text, 100)
    FROM partner_source.programs
   WHERE concat_ws(' ', program_id::text, left(name::text, 1000)) ILIKE ALL ($1::text[])
   ORDER BY 1, 2
   LIMIT $2`;

function tuplesOf(view: Exclude<ProgramView, "programs" | "enrollments">): string {
  return `
  SELECT program_id::text COLLATE "C", tenant_id::text, json_agg(json_build_array(${plainColumns(view)}))
    FROM partner_source.${view}
   WHERE ${ofTenant}
   GROUP BY tenant_id, program_id, tenant_id::text COLLATE "default", program_id::text COLLATE "default"
   ORDER BY 1`;
}

function plainColumns(view: ProgramView): string {
  return viewColumns[view].map(({ kind, sql }) => (kind === "list" ? `to_json(${sql})` : sql)).join(", ");
}

/** Rows that are too large are hashed as they are read: capped, and with their sizes. */
function rowHashes(view: ProgramView, limits: SourceLimits): string {
  const columns = viewColumns[view];
  const capped = columns.map((column) => `(${cappedColumn(column, limits)})::text COLLATE "C"`);
  const at = programViews.indexOf(view);
  // The number of the view is the seed: a row that moves to another view is another one.
  const hashOf = (values: readonly string[]): string =>
    `hash_record_extended(ROW(tenant_id, ${values.join(", ")}), ${at})`;
  return `
  SELECT program_id, ${1 << at} AS view, bytes,
         CASE WHEN bytes <= ${limits.maxValueBytes} THEN ${hashOf(columns.flatMap(hashedColumn))}
              ELSE ${hashOf([...capped, oversizes(view, limits)])} END AS hash
    FROM ${measuredRows(view, limits)} AS row`;
}

/** Texts by their bytes, whatever calls them equal; of a list its shape, too, which its hash leaves out. */
function hashedColumn({ name, kind }: SourceColumn): readonly string[] {
  if (kind === "fixed") return [name];
  return kind === "text" ? [`${name} COLLATE "C"`] : [`${name} COLLATE "C"`, `array_dims(${name})`];
}
