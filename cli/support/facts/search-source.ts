import { rowsOf, type SourceClient } from "../../database/connect.ts";

export interface FoundInSource {
  readonly tenantId: string;
  readonly programId: string;
  readonly name: string;
  readonly state: string;
}

/** The programs of any tenant whose id and name contain every word, in upper or lower case. At most `limit`. */
export async function findProgramsInSource(
  client: SourceClient,
  words: readonly string[],
  limit: number,
): Promise<readonly FoundInSource[]> {
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, "\\$&")}%`);
  const isMatch = "concat_ws(' ', program_id::text, left(name::text, 1000)) ILIKE ALL ($1::text[])";
  return await foundBy(client, isMatch, patterns, limit);
}

export type ElsewhereProgram = Pick<FoundInSource, "tenantId" | "programId">;

/** Programs of any tenant that have this id, also in another case or with spaces around it. At most ten. */
export async function readElsewhere(
  client: SourceClient,
  programId: string,
): Promise<readonly ElsewhereProgram[]> {
  const found = await foundBy(client, "lower(trim(program_id::text)) = lower(trim($1))", programId, 10);
  return found.map(({ tenantId, programId }) => ({ tenantId, programId }));
}

/** `condition`: of the rows, with `value` as `$1`. */
async function foundBy(
  client: SourceClient,
  condition: string,
  value: unknown,
  limit: number,
): Promise<readonly FoundInSource[]> {
  const columns = ["tenant_id", "program_id", "name", "lifecycle_state"];
  const query = `
    SELECT ${columns.map((column) => `coalesce(left(${column}::text, 1000), '')`).join(", ")}
      FROM partner_source.programs WHERE ${condition} ORDER BY 1, 2 LIMIT $2`;
  const rows = await rowsOf<[string, string, string, string]>(client, query, [value, limit]);
  return rows.map(([tenantId, programId, name, state]) => ({ tenantId, programId, name, state }));
}
