import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { forEachRow } from "../../database/for-each-row.ts";
import { lifecycle } from "../public-program/lifecycle.ts";
import { statesQuery } from "./tenant-rows.ts";

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
  const candidates = new Set<string>();
  let total = 0;
  const unknown = new Set<string>();
  let first: string | undefined;
  await forEachRow(client, statesQuery, [tenantId], ([programId = null, state = null]) => {
    total += 1;
    if (programId === null) return;
    if (first === undefined || programId < first) first = programId;
    const { kind } = lifecycle(state);
    if (kind !== "unpublished") candidates.add(programId);
    if (kind === "unknown") unknown.add(programId);
  });
  const inOrder = [...candidates].sort();
  const step = Math.max(1, inOrder.length / limit);
  const chosen = Array.from(
    { length: Math.min(limit, inOrder.length) },
    (_, at) => inOrder[Math.floor(at * step)],
  );
  const programIds = chosen.length > 0 ? chosen : [first];
  return {
    total,
    candidates: inOrder.length,
    unknown: unknown.size,
    programIds: programIds.filter((id) => id !== undefined),
  };
}
