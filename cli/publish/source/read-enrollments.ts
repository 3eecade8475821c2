import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { rowsOf } from "../../database/for-each-row.ts";
import { ofTenant } from "./program-queries.ts";

/** Enrollments with the same status and role. Nothing tells whose they are. */
export interface EnrollmentGroup {
  readonly status: string | null;
  readonly role: string | null;
  readonly count: number;
}

/** A column with more values than this holds something other than statuses. */
export const maxEnrollmentGroups = 100;

/**
 * Counts enrollments by status and role, largest groups first, and reads no other column (P75). At most `maxEnrollmentGroups` +
 * 1.
 */
export async function readEnrollments(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
): Promise<readonly EnrollmentGroup[]> {
  const rows = await rowsOf<[string | null, string | null, number]>(client, enrollmentsQuery, [
    tenantId,
    programId,
  ]);
  return rows.map(([status, role, count]) => ({ status, role, count }));
}

const enrollmentsQuery = `
  SELECT left(status::text, 200), left(role::text, 200), count(*)::int
    FROM partner_source.enrollments
   WHERE ${ofTenant} AND program_id::text COLLATE "C" = $2
   GROUP BY 1, 2
   ORDER BY 3 DESC, left(status::text, 200) COLLATE "C", left(role::text, 200) COLLATE "C"
   LIMIT ${maxEnrollmentGroups + 1}`;
