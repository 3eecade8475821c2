import type { TenantId } from "../../../core/ground/ids.ts";
import { rowsOf, type SourceClient } from "../../database/connect.ts";
import type { MappingRules } from "../../publish/public-program/public-program.ts";
import { ofTenant } from "../../publish/source/program-queries.ts";

/** Enrollments with the same status, and whether their role is `staff`. Nothing tells whose they are. */
export type EnrollmentStatus = Awaited<ReturnType<typeof readEnrollmentStatuses>>[number];

/** A column with more values than this holds something other than statuses. */
const maxStatuses = 100;

/** Counts enrollments by status, the most frequent first: those of one program, or all. */
export async function readEnrollmentStatuses(
  client: SourceClient,
  { isTerminalStatus }: MappingRules,
  program?: { readonly tenantId: TenantId; readonly programId: string },
) {
  const where = program === undefined ? "true" : `${ofTenant} AND program_id::text COLLATE "C" = $2`;
  const query = `
  SELECT left(status::text, 200) COLLATE "C", coalesce(lower(role::text) = 'staff', false), count(*)::int
    FROM partner_source.enrollments
   WHERE ${where}
   GROUP BY 1, 2
   ORDER BY 3 DESC, 1, 2
   LIMIT ${maxStatuses}`;
  const values = program === undefined ? [] : [program.tenantId, program.programId];
  const rows = await rowsOf<[string | null, boolean, number]>(client, query, values);
  return rows.map(([status, isStaff, count]) => {
    return { status, isStaff, count, takesPlace: !isStaff && !isTerminalStatus(status) };
  });
}
