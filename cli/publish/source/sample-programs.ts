import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { rowsOf } from "../../database/query-rows.ts";
import { lifecycle } from "../public-program/lifecycle.ts";
import { statesQuery } from "./program-queries.ts";

/** Some of a tenant's programs, spread evenly over their ids. */
export interface ProgramSample {
  /** All programs, in any state. */
  readonly total: number;
  /** Programs without a state that keeps them unpublished. */
  readonly candidates: number;
  /** Candidates whose state is none of the contract's. */
  readonly unknown: number;
  /** At most `limit`. A tenant without candidates gives its first program, if it has one. */
  readonly programIds: readonly string[];
}

/** Chooses among the programs that a build would publish or refuse, the same each time. */
export async function samplePrograms(
  client: SourceClient,
  tenantId: TenantId,
  limit: number,
): Promise<ProgramSample> {
  const rows = await rowsOf<[string | null, string | null]>(client, statesQuery, [tenantId]);
  const programs = rows.flatMap(([id, state]) => (id === null ? [] : [{ id, kind: lifecycle(state).kind }]));
  const idsOf = (kinds: readonly string[]): readonly string[] =>
    [...new Set(programs.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id))].sort();
  const candidates = idsOf(["publishable", "unknown"]);
  const step = Math.max(1, candidates.length / limit);
  const chosen = candidates.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  return {
    total: rows.length,
    candidates: candidates.length,
    unknown: idsOf(["unknown"]).length,
    programIds: candidates.length > 0 ? chosen : idsOf(["unpublished"]).slice(0, 1),
  };
}
