import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { forEachRow } from "../../database/for-each-row.ts";
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
  const ids = new Set<string>();
  const candidates = new Set<string>();
  const unknown = new Set<string>();
  let total = 0;
  await forEachRow(client, statesQuery, [tenantId], ([programId = null, state = null]) => {
    total += 1;
    if (programId === null) return;
    const { kind } = lifecycle(state);
    ids.add(programId);
    if (kind !== "unpublished") candidates.add(programId);
    if (kind === "unknown") unknown.add(programId);
  });
  const inOrder = [...candidates].sort();
  const step = Math.max(1, inOrder.length / limit);
  const chosen = inOrder.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  const programIds = candidates.size > 0 ? chosen : [...ids].sort().slice(0, 1);
  return { total, candidates: candidates.size, unknown: unknown.size, programIds };
}
