import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { elsewhereQuery, findProgramsQuery, tenantsOfProgramsQuery } from "./source-queries.ts";

/** A program of the source, published or not. */
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
  const { rows } = await client.query<(string | null)[]>({
    text: findProgramsQuery,
    values: [patterns, limit],
    rowMode: "array",
  });
  return rows.map(([tenantId, programId, name, state]) => ({
    tenantId: tenantId ?? "",
    programId: programId ?? "",
    name: name ?? "",
    state: state ?? "",
  }));
}

/** The other tenants that have programs with some of these ids: at most 20, those with the most such programs first. */
export async function tenantsOfPrograms(
  client: SourceClient,
  tenantId: TenantId,
  programIds: readonly string[],
): Promise<readonly TenantId[]> {
  const { rows } = await client.query<[string]>({
    text: tenantsOfProgramsQuery,
    values: [programIds, tenantId],
    rowMode: "array",
  });
  return rows.map(([found]) => found).filter(isTenantId);
}

/** A program whose id looks like the one that was asked for. */
export interface ElsewhereProgram {
  readonly tenantId: string;
  readonly programId: string;
}

/** Programs of any tenant that have this id, also in another case or with spaces around it. At most ten. */
export async function readElsewhere(
  client: SourceClient,
  programId: string,
): Promise<readonly ElsewhereProgram[]> {
  const { rows } = await client.query<[string | null, string | null]>({
    text: elsewhereQuery,
    values: [programId],
    rowMode: "array",
  });
  return rows.map(([tenantId, id]) => ({ tenantId: tenantId ?? "", programId: id ?? "" }));
}
