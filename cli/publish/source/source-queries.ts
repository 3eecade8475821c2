import type { ProgramView } from "./contract.ts";
import {
  cappedColumn,
  countedEnrollments,
  measuredEnrollments,
  measuredRows,
  oversizes,
} from "./guarded-queries.ts";
import {
  type ChildView,
  childViews,
  ofTenant,
  programViews,
  type SourceColumn,
  viewColumns,
} from "./source-columns.ts";
import type { SourceLimits } from "./source-limits.ts";

/*
 * The generator's queries, of one tenant or of all; `$1` is the tenant. Each names its columns, so that an extra, perhaps
 * private, column of a view never leaves the database (D4). Order and grouping use the "C" collation, which is the same on every
 * server.
 */

export const tenantsQuery = `
  SELECT left(tenant_id::text, 1000), left(name::text, 1000)
    FROM partner_source.tenants
   ORDER BY tenant_id::text COLLATE "C"`;

export const tenantQuery = `
  SELECT FROM partner_source.tenants WHERE tenant_id::text COLLATE "C" = $1 LIMIT 1`;

/**
 * Each column is text, also the numbers: the server refuses a prepared statement for good when the type of a result has changed,
 * as after a view was replaced.
 */
export const programsQuery = `
  SELECT program_id::text, tenant_id::text, ${plainColumns("programs", "::text")}
    FROM partner_source.programs
   WHERE ${ofTenant}
   ORDER BY program_id::text COLLATE "C"`;

export const statesQuery = `
  SELECT left(program_id::text, 1000), left(lifecycle_state::text, 1000)
    FROM partner_source.programs
   WHERE ${ofTenant}`;

/**
 * The children of each program as one JSON array of tuples: a tenth of the rows to transfer. Rows are grouped by the ids, to use
 * their indexes, and by the ids as text, because types and collations such as citext and ICU treat different ids as equal. The
 * default collation does not, and costs nothing when the column has it.
 */
export const childQueries = Object.fromEntries(childViews.map((view) => [view, tuplesOf(view)])) as Readonly<
  Record<ChildView, string>
>;

/** All of these children in one round trip. Each row ends with its view. */
export const allChildrenQuery = `
  SELECT * FROM (${childViews.map((view) => `SELECT *, '${view}' FROM (${childQueries[view]}) AS ${view}`).join(" UNION ALL ")}) AS children
   ORDER BY 1`;

/**
 * For each program id: the sum of the hashes of its rows in all views, a bit for each view that has rows of it, and the bytes of
 * all rows. The hashed values are those that the other queries read. A change goes unseen once in 2^64. `hash_record_extended`
 * takes a third less time than hashing the row as text. Rows that are too large are counted and not hashed: leaving out what
 * hashes them makes the query half as long, and a quarter faster to plan.
 */
export function programSumsQuery(limits: SourceLimits): string {
  return sumsOf(programViews.map((view) => rowHashes(view, limits)));
}

/** The same for views that hold something large. A row that is too large is hashed as it is read: without its large values, and with their sizes. */
export function guardedSumsQuery(limits: SourceLimits, views: readonly ProgramView[] = programViews): string {
  return sumsOf(views.map((view) => rowHashes(view, limits, guardedHash(view, limits))));
}

function sumsOf(rowHashes: readonly string[]): string {
  return `
  SELECT program_id, sum(hash)::text, bit_or(view)::text, sum(bytes)::text
    FROM (${rowHashes.join(" UNION ALL")}) AS hashed
   GROUP BY program_id
   ORDER BY program_id`;
}

/** For each view: the bytes of its largest row, and the most that it has of one program. */
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

/** Programs of tenants that are not listed, counted by the tenant id that they name. */
export const strayProgramsQuery = `
  SELECT left(p.tenant_id::text, 1000), count(*)::int
    FROM partner_source.programs AS p
   WHERE NOT EXISTS (SELECT FROM partner_source.tenants AS t WHERE t.tenant_id::text COLLATE "C" = p.tenant_id::text COLLATE "C")
   GROUP BY 1
   ORDER BY 1`;

/**
 * Narrows a query to the programs `$2`, an array. Ids are compared as they are, to use an index, and as text, because the
 * column's collation may treat different ids as equal. The second comparison is `ANY`, which only filters: a second `IN` would be
 * planned as another join, and take half as long again.
 */
export function ofPrograms(query: string): string {
  return query.replaceAll(
    `WHERE ${ofTenant}`,
    `WHERE ${ofTenant} AND program_id::text IN (SELECT unnest($2::text[])) AND program_id::text COLLATE "default" = ANY ($2)`,
  );
}

/** Narrows a query to the programs from `$2` to `$3`, in the order of their ids' bytes. */
export function betweenPrograms(query: string): string {
  const id = 'program_id::text COLLATE "C"';
  return query.replaceAll(`WHERE ${ofTenant}`, `WHERE ${ofTenant} AND ${id} >= $2 AND ${id} <= $3`);
}

export function ofOneProgram(query: string): string {
  const narrowed = query.replace(
    `WHERE ${ofTenant}`,
    `WHERE ${ofTenant} AND program_id::text = $2 AND program_id::text COLLATE "default" = $2`,
  );
  // The second row shows that another program has the same id; further rows would tell nothing new.
  return `${narrowed} LIMIT 2`;
}

/** Programs of any tenant whose id equals `$1` when case and surrounding spaces are ignored. */
export const elsewhereQuery = `
  SELECT left(tenant_id::text, 1000), left(program_id::text, 1000)
    FROM partner_source.programs
   WHERE lower(trim(program_id::text)) = lower(trim($1))
   ORDER BY 1, 2
   LIMIT 10`;

/** How much of a name is compared. Programs whose ids are equal by chance, such as running numbers, have other names. */
export const maxComparedName = 200;

/** The listed tenants, without `$2`, that have programs with ids of `$1` and the names at the same places of `$3`, and how many (P144). */
export const tenantsOfProgramsQuery = `
  SELECT tenant_id::text COLLATE "C", count(*)::int
    FROM partner_source.programs
   WHERE (program_id::text COLLATE "C", left(name::text, ${maxComparedName}) COLLATE "C")
         IN (SELECT id, name FROM unnest($1::text[], $3::text[]) AS asked (id, name))
     AND tenant_id::text COLLATE "C" <> $2
     AND tenant_id::text COLLATE "C" IN (SELECT tenant_id::text COLLATE "C" FROM partner_source.tenants)
   GROUP BY 1
   ORDER BY count(*) DESC, 1
   LIMIT 1000`;

/** The listed tenants that have a program whose id and name another listed tenant's program has, too (P144). */
export const sharingTenantsQuery = `
  SELECT DISTINCT unnest(tenants)
    FROM (SELECT array_agg(tenant_id::text COLLATE "C") AS tenants
            FROM partner_source.programs
           WHERE tenant_id::text COLLATE "C" IN (SELECT tenant_id::text COLLATE "C" FROM partner_source.tenants)
           GROUP BY program_id::text COLLATE "C", left(name::text, ${maxComparedName}) COLLATE "C"
          HAVING min(tenant_id::text COLLATE "C") <> max(tenant_id::text COLLATE "C")) AS shared`;

/** Programs of any tenant whose id and name match each of the patterns `$1`, in any case. At most `$2`. */
export const findProgramsQuery = `
  SELECT left(tenant_id::text, 1000), left(program_id::text, 1000), left(name::text, 1000), left(lifecycle_state::text, 100)
    FROM partner_source.programs
   WHERE concat_ws(' ', program_id::text, left(name::text, 1000)) ILIKE ALL ($1::text[])
   ORDER BY 1, 2
   LIMIT $2`;

function tuplesOf(view: ChildView): string {
  if (view === "enrollments") {
    return `
  SELECT program_id::text COLLATE "C", tenant_id::text, json_agg(json_build_array(status, role, enrolled))
    FROM ${countedEnrollments} AS counted
   GROUP BY tenant_id, program_id
   ORDER BY 1`;
  }
  return `
  SELECT program_id::text COLLATE "C", tenant_id::text, json_agg(json_build_array(${plainColumns(view)}))
    FROM partner_source.${view}
   WHERE ${ofTenant}
   GROUP BY tenant_id, program_id, tenant_id::text COLLATE "default", program_id::text COLLATE "default"
   ORDER BY 1`;
}

function plainColumns(view: ProgramView, cast = ""): string {
  const values = viewColumns[view].map(({ kind, sql }) => (kind === "list" ? `to_json(${sql})` : sql));
  return values.map((value) => `${value}${cast}`).join(", ");
}

/** `ofLarge`: the hash of a row that is too large. */
function rowHashes(view: ProgramView, limits: SourceLimits, ofLarge = "NULL"): string {
  return `
  SELECT program_id, ${1 << programViews.indexOf(view)} AS view, bytes,
         CASE WHEN bytes <= ${limits.maxValueBytes} THEN ${hashOf(view, viewColumns[view].flatMap(hashedColumn))}
              ELSE ${ofLarge} END AS hash
    FROM ${measuredRows(view, limits)} AS row`;
}

function guardedHash(view: ProgramView, limits: SourceLimits): string {
  const capped = viewColumns[view].map((column) => `(${cappedColumn(column, limits)})::text COLLATE "C"`);
  return hashOf(view, [...capped, oversizes(view, limits)]);
}

/** The view's number is the seed, so that the same row in another view has another hash. */
function hashOf(view: ProgramView, values: readonly string[]): string {
  return `hash_record_extended(ROW(tenant_id, ${values.join(", ")}), ${programViews.indexOf(view)})`;
}

/** Texts are hashed by their bytes. A list's dimensions are hashed, too, because its hash omits them. */
function hashedColumn({ name, kind }: SourceColumn): readonly string[] {
  if (kind === "fixed") return [name];
  return kind === "text" ? [`${name} COLLATE "C"`] : [`${name} COLLATE "C"`, `array_dims(${name})`];
}
