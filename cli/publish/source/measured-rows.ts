import type { ProgramView } from "./contract.ts";
import { ofTenant, type SourceColumn, sizedColumns, viewColumns } from "./source-columns.ts";
import type { SourceLimits } from "./source-limits.ts";

/** A row counts this much beside its values: what its numbers, its dates and its place in memory take. */
const bytesPerRow = 64;
/** An element of a list counts this much beside its text. `array_send` has 4 of them already, and 12 + 8 per dimension for the list. */
const bytesPerElement = 16;
/** An array takes no more than this in memory beside what is counted: header, six dimensions, padding of a short list. */
const maxArrayOverhead = 64;
/** Longer ids are ill-formed anyway; this much of them is enough to name them. */
const maxIdCharacters = 1000;

/**
 * The tenant's rows of a view with their size as `bytes`, as a subquery. `OFFSET 0` keeps PostgreSQL from merging it with
 * the query around it: each column of the view, which may be a query itself, is computed once, however often it is named.
 */
export function measuredRows(view: ProgramView, limits: SourceLimits): string {
  return measured(view, rowsOf(view), [], limits);
}

/** Enrollments of one role and status as one row with their number; as a subquery. See `childQueries` for how it groups. */
export const countedEnrollments = `(
      SELECT tenant_id::text COLLATE "default" AS tenant_id, program_id::text COLLATE "default" AS program_id,
             role::text COLLATE "default" AS role, status::text COLLATE "default" AS status, count(*) AS enrolled
        FROM ${rowsOf("enrollments")}
       GROUP BY tenant_id, program_id, tenant_id::text COLLATE "default", program_id::text COLLATE "default",
                role::text COLLATE "default", status::text COLLATE "default")`;

/** They have their number as `enrolled`, as the plain query has them. */
export function measuredEnrollments(limits: SourceLimits): string {
  return measured("enrollments", `${countedEnrollments} AS counted`, ["enrolled"], limits);
}

function measured(view: ProgramView, from: string, further: readonly string[], limits: SourceLimits): string {
  const columns = viewColumns[view].map(({ sql, name }) => `${sql} AS ${name}`);
  const sizes = sizedColumns(view).map((column) => `coalesce(${sizeOf(column, limits)}, 0)`);
  return `(
    SELECT *, ${[`${bytesPerRow}::bigint`, "id_bytes", ...sizes].join(" + ")} AS bytes
      FROM (SELECT left(program_id::text, ${maxIdCharacters}) COLLATE "C" AS program_id,
                   tenant_id::text COLLATE "default" AS tenant_id,
                   octet_length(program_id::text) AS id_bytes, ${[...columns, ...further].join(", ")}
              FROM ${from} OFFSET 0) AS plain
    OFFSET 0)`;
}

/** The column of measured rows, or NULL where it is too large. */
export function cappedColumn(column: SourceColumn, limits: SourceLimits): string {
  if (column.kind === "fixed") return column.name;
  const value = column.kind === "list" ? `to_json(${column.name})` : column.name;
  return `CASE WHEN ${sizeOf(column, limits)} <= ${limits.maxValueBytes} THEN ${value} END`;
}

/** The sizes of the row's unbounded columns as a JSON array, behind that of the whole row; NULL where all is well. */
export function oversizes(view: ProgramView, limits: SourceLimits): string {
  const sizes = sizedColumns(view).map((column) => sizeOf(column, limits));
  return `CASE WHEN bytes > ${limits.maxProgramBytes} OR greatest(${sizes.join(", ")}) > ${limits.maxValueBytes}
              THEN json_build_array(bytes, ${sizes.join(", ")})::text END`;
}

/**
 * Bytes of a value, NULL for NULL. PostgreSQL knows those of a text without reading it, and of a list how much room it
 * takes, perhaps compressed. Only a list that is small even so is unpacked: a gigabyte of it could not be.
 */
function sizeOf({ name, kind }: SourceColumn, { maxValueBytes }: SourceLimits): string {
  if (kind === "text") return `octet_length(${name})`;
  const stored = `pg_column_size(${name})`;
  const unpacked = `octet_length(array_send(${name})) - 12 - 8 * coalesce(array_ndims(${name}), 0)`;
  return `CASE WHEN ${stored} > ${maxValueBytes + maxArrayOverhead} THEN ${stored}
               ELSE ${unpacked} + ${bytesPerElement - 4}::bigint * cardinality(${name}) END`;
}

function rowsOf(view: ProgramView): string {
  return `partner_source.${view} WHERE ${ofTenant}`;
}
