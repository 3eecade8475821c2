import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { rowsOf } from "../../database/for-each-row.ts";
import {
  elsewhereQuery,
  findProgramsQuery,
  maxComparedName,
  sharingTenantsQuery,
  tenantsOfProgramsQuery,
} from "./source-queries.ts";

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
  const rows = await rowsOf<(string | null)[]>(client, findProgramsQuery, [patterns, limit]);
  return rows.map(([tenantId, programId, name, state]) => ({
    tenantId: tenantId ?? "",
    programId: programId ?? "",
    name: name ?? "",
    state: state ?? "",
  }));
}

export interface TenantWithPrograms {
  readonly tenantId: TenantId;
  /** How many of the programs that were asked for the tenant has. */
  readonly programs: number;
}

/** The other tenants that have programs with these ids and names: at most 1,000, those with the most such programs first. */
export async function tenantsOfPrograms(
  client: SourceClient,
  tenantId: TenantId,
  programs: ReadonlyMap<string, { readonly name: string }>,
): Promise<readonly TenantWithPrograms[]> {
  const names = [...programs.values()].map(({ name }) => [...name].slice(0, maxComparedName).join(""));
  const rows = await rowsOf<[string, number]>(client, tenantsOfProgramsQuery, [
    [...programs.keys()],
    tenantId,
    names,
  ]);
  return rows.flatMap(([found, count]) => (isTenantId(found) ? { tenantId: found, programs: count } : []));
}

/** The tenants for which `tenantsOfPrograms` can find others. This reads the programs of all tenants once. */
export async function sharingTenants(client: SourceClient): Promise<ReadonlySet<string>> {
  return new Set((await rowsOf<[string]>(client, sharingTenantsQuery)).map(([tenantId]) => tenantId));
}

export interface ElsewhereProgram {
  readonly tenantId: string;
  readonly programId: string;
}

/** Programs of any tenant that have this id, also in another case or with spaces around it. At most ten. */
export async function readElsewhere(
  client: SourceClient,
  programId: string,
): Promise<readonly ElsewhereProgram[]> {
  const rows = await rowsOf<[string | null, string | null]>(client, elsewhereQuery, [programId]);
  return rows.map(([tenantId, id]) => ({ tenantId: tenantId ?? "", programId: id ?? "" }));
}
