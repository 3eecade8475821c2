import { type ProgramView, sourceViews, type ViewName, viewNames } from "./contract.ts";

/*
 * The two questions that a build asks of a tenant's rows (`$1`): a checksum of each program, and the rows of
 * each program as one JSON. Both are made from the contract and name their columns, so that no extra, perhaps
 * private, column leaves the database (D4). Ids are compared and sorted by their bytes (D130).
 */

/** The views whose rows belong to a program, `programs` itself first. */
export const programViews: readonly ProgramView[] = viewNames.filter((view) => view !== "tenants");

/**
 * The condition for rows of the tenant `$1`, whose id is compared by its bytes (D130). It is compared as it
 * is, to use an index, and then as text, because types and collations such as citext and ICU treat different
 * ids as equal. `$1` takes the column's type, so it is cast, too. `nullif` wraps the second comparison, since
 * PostgreSQL would take two plain ones for independent and expect far too few rows.
 */
export const ofTenant =
  'tenant_id = $1 AND nullif(tenant_id::text COLLATE "C" = $1::text, false) IS NOT NULL';

/**
 * Narrows to the programs `$2`, an array. Ids are compared as they are, to use an index, and as text, because
 * the column's collation may treat different ids as equal. The second comparison is `ANY`, which only
 * filters: a second `IN` would be planned as another join, and take half as long again.
 */
const ofPrograms =
  'program_id::text IN (SELECT unnest($2::text[])) AND program_id::text COLLATE "default" = ANY ($2)';

const id = 'program_id::text COLLATE "C" AS program_id';

/** What a question reads a view's rows from: checks read the sound part of views that are broken (D135). */
export type FromView = (view: ViewName) => string;
export const wholeView: FromView = (view) => `partner_source.${view}`;

/**
 * For each program id: the sum of the hashes of its rows, equal for equal rows in any order; and, unless
 * `programs` has the id, a bit for each view that has rows of it. A change goes unseen once in 2^64.
 * `isNarrowed`: only the programs `$2`.
 */
export function sumsQuery(isNarrowed: boolean, from = wholeView): string {
  const where = isNarrowed ? `${ofTenant} AND ${ofPrograms}` : ofTenant;
  return `
  SELECT program_id, sum(hash)::text, CASE WHEN bit_or(view) & 1 = 0 THEN bit_or(view)::text END
    FROM (${programViews.map((view) => hashedRows(view, where, from)).join(" UNION ALL")}) AS hashed
   GROUP BY program_id ORDER BY program_id`;
}

/** Reads the tenant's rows in one view, to find out which view fails. A condition with `AND` may follow. */
export function viewQuery(view: ProgramView, from = wholeView): string {
  return `SELECT sum(hash) FROM (${hashedRows(view, ofTenant, from)}) AS hashed WHERE true`;
}

/**
 * The view's number is the seed, so that the same row in another view has another hash. The tenant's id is
 * hashed, too, since a row of NULLs has the hash 0. A list is hashed as text, which shows its dimensions.
 */
function hashedRows(view: ProgramView, where: string, from: FromView): string {
  const at = programViews.indexOf(view);
  const hashed = sourceViews[view].columns.map(([name, kind]) =>
    kind === "int" || kind === "date" ? name : `${name}::text COLLATE "C"`,
  );
  return `
      SELECT ${id}, ${1 << at} AS view, hash_record_extended(ROW(tenant_id::text COLLATE "C", ${hashed.join(", ")}), ${at}) AS hash
        FROM ${from(view)} WHERE ${where}`;
}

/**
 * For each program id: its rows in all views as one JSON, `{"programs": [[...]], "room_prices": [[...], ...],
 * ...}`, its bytes, the states of its rows in `programs` as a JSON array, and the least and the greatest
 * tenant id of all rows. Enrollments are counted by status and role. The columns of `programs` are text, so
 * that no number is rounded. A JSON of more than `maxBytes` stays in the database; its size comes all the
 * same. `isNarrowed`: only the programs `$2`.
 */
export function programsQuery(maxBytes: number, isNarrowed: boolean, from = wholeView): string {
  const where = isNarrowed ? `${ofTenant} AND ${ofPrograms}` : ofTenant;
  const rows = programViews.map((view) => aggregatedRows(view, `${from(view)} WHERE ${where}`));
  // `OFFSET 0` keeps PostgreSQL from making each JSON anew wherever it is named.
  return `
  SELECT program_id, CASE WHEN octet_length(json) <= ${maxBytes} THEN json END, octet_length(json)::text, states, least, greatest
    FROM (SELECT program_id, json_object_agg(view, rows)::text AS json, max(states) AS states,
                 min(least) AS least, max(greatest) AS greatest
            FROM (${rows.join(" UNION ALL")}) AS views
           GROUP BY program_id OFFSET 0) AS programs
   ORDER BY program_id`;
}

function aggregatedRows(view: ProgramView, from: string): string {
  const tenant = `coalesce(tenant_id::text, '') COLLATE "C"`;
  const tenants = `min(${tenant}) AS least, max(${tenant}) AS greatest`;
  if (view === "enrollments") {
    return `
      SELECT program_id, 'enrollments' AS view, json_agg(json_build_array(status, role, enrolled)) AS rows, NULL AS states,
             min(least) AS least, max(greatest) AS greatest
        FROM (SELECT ${id}, status::text COLLATE "C" AS status, role::text COLLATE "C" AS role, count(*) AS enrolled, ${tenants}
                FROM ${from} GROUP BY 1, 2, 3) AS counted
       GROUP BY 1`;
  }
  const columns = sourceViews[view].columns.map(([name, kind]) => {
    if (kind === "text[]") return `${name}::text[]`;
    return kind === "int" && view !== "programs" ? name : `${name}::text`;
  });
  const states = view === "programs" ? "json_agg(left(lifecycle_state::text, 1000))::text" : "NULL";
  return `
      SELECT ${id}, '${view}' AS view, json_agg(json_build_array(${columns.join(", ")})) AS rows, ${states} AS states, ${tenants}
        FROM ${from} GROUP BY 1`;
}

/** The state of each of the tenant's programs. No other view is asked (P130). */
export const statesQuery = `
  SELECT left(program_id::text, 1000), left(lifecycle_state::text, 1000)
    FROM partner_source.programs
   WHERE ${ofTenant}`;
