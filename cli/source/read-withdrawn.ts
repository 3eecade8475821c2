import type { TenantId } from "../../core/ids.ts";
import type { SourceClient } from "../database/connect.ts";
import { forEachRow } from "../database/for-each-row.ts";
import { lifecycle } from "../public-program/lifecycle.ts";
import { statesQuery } from "./source-queries.ts";

/** Those of the programs all of whose rows state that they are not to be published (P20). */
export async function readWithdrawn(
  client: SourceClient,
  tenantId: TenantId,
  programs: { has(programId: string): boolean },
): Promise<readonly string[]> {
  const withdrawn = new Map<string, boolean>();
  await forEachRow(client, statesQuery, [tenantId], ([programId = null, state = null]) => {
    if (programId === null || !programs.has(programId)) return;
    const isStated = lifecycle(state).kind === "unpublished";
    withdrawn.set(programId, isStated && withdrawn.get(programId) !== false);
  });
  return [...withdrawn].filter(([, isWithdrawn]) => isWithdrawn).map(([programId]) => programId);
}
