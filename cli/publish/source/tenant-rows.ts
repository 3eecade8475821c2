import type { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { limitWaiting, type SourcePool } from "../../database/connect.ts";
import { type ProgramSums, readProgramSums } from "./program-sums.ts";
import { type ReadProgram, readPrograms, type WantedPrograms } from "./read-programs.ts";
import { readWithdrawnAround, type StatedWithdrawn } from "./read-withdrawn.ts";
import type { SmallViews, SourceLimits } from "./source-limits.ts";

/** A tenant's programs within one consistent reading: from the database, or those of the sandbox. */
export interface TenantRows {
  /** As `readProgramSums` gives them. */
  sums(only?: readonly string[]): Promise<ProgramSums>;
  /** As `readPrograms` gives them. */
  programs(small: SmallViews, wanted: WantedPrograms): AsyncGenerator<readonly ReadProgram[], void>;
  /** Which of the programs the source states as withdrawn. Asks for ids and states only (P130). */
  withdrawn(programs: Pick<Manifest["programs"], "has" | "ids">): Promise<StatedWithdrawn>;
}

export type WithTenantRows = <Result>(
  tenantId: TenantId,
  read: (rows: TenantRows) => Promise<Result>,
) => Promise<Result>;

/** A query of states that takes longer is given up. The next build asks again. */
const maxStatesMs = 60_000;

/** Reading these rows fails with `failure`. Withdrawals can still be asked for (P130). */
export function unreadableRows(failure: Failure, withRows: WithTenantRows): WithTenantRows {
  return (tenantId, read) =>
    read({
      sums: () => Promise.reject(failure),
      programs: () => {
        throw failure;
      },
      withdrawn: (programs) => withRows(tenantId, (rows) => rows.withdrawn(programs)),
    });
}

export function databaseRows(pool: SourcePool, limits: SourceLimits): WithTenantRows {
  return (tenantId, read) =>
    pool.withReading((client) =>
      read({
        sums: (only) => readProgramSums(client, tenantId, limits, only),
        programs: (small, wanted) => readPrograms(client, tenantId, limits, small, wanted),
        withdrawn: async (programs) => {
          await limitWaiting(client, { statementMs: maxStatesMs });
          return await readWithdrawnAround(client, tenantId, programs);
        },
      }),
    );
}
