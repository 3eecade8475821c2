import type { QueryArrayConfig } from "pg";
import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { asText } from "../../database/for-each-row.ts";
import { guardedChildQuery, guardedProgramsQuery } from "./guarded-queries.ts";
import { programSource } from "./program-row.ts";
import type { ReadProgram } from "./read-programs.ts";
import { type ChildView, childViews } from "./source-columns.ts";
import { oversizeOf, programOversize, type SourceLimits } from "./source-limits.ts";
import { ofOneProgram } from "./source-queries.ts";

/** A single program as a build would read it, by one query per view. `undefined` when the source does not have it. */
export async function readProgram(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
  limits: SourceLimits,
): Promise<ReadProgram | undefined> {
  const rowsOf = async (query: string): Promise<readonly Row[]> => {
    const config = { text: ofOneProgram(query), rowMode: "array", types: asText } as unknown;
    const values = [tenantId, programId];
    const { rows } = await client.query<(string | null)[]>(config as QueryArrayConfig, values);
    return rows;
  };
  const [program, another] = await rowsOf(guardedProgramsQuery(limits));
  if (program === undefined) return undefined;
  let oversize = programOversize(program, limits);
  const children = new Map<ChildView, string>();
  for (const view of childViews) {
    const [row] = await rowsOf(guardedChildQuery(view, limits));
    if (row === undefined) continue;
    const [, , json, sizes = null, bytes] = row;
    children.set(view, json ?? "[]");
    oversize ??= oversizeOf(view, sizes, Number(bytes), limits);
  }
  return {
    source: programSource(program, (view) => children.get(view) ?? "[]", oversize),
    isDuplicate: another !== undefined,
  };
}

type Row = readonly (string | null)[];
