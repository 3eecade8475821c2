import type { SourceClient } from "../../database/connect.ts";
import { findProgramsQuery } from "./source-queries.ts";

/** A program of the source, published or not. */
export interface FoundInSource {
  readonly tenantId: string;
  readonly programId: string;
  readonly name: string;
  readonly state: string;
}

/** The programs of any tenant whose id or name has every word, whatever its case. At most as many as asked for. */
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
