import type { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { SourcePool } from "../../database/connect.ts";
import { limitWaiting } from "../../database/limit-waiting.ts";
import { type ProgramSum, readProgramSums } from "./program-sums.ts";
import { type ReadProgram, readPrograms } from "./read-programs.ts";
import { readWithdrawnAround, type StatedWithdrawn } from "./read-withdrawn.ts";
import type { SourceLimits, SourceSizes } from "./source-limits.ts";

/** A tenant's programs within one consistent reading, wherever they come from. */
export interface TenantRows {
  /** Hands over the sum of each program, as `readProgramSums` does. */
  sums(take: (sum: ProgramSum) => void, only?: readonly string[]): Promise<SourceSizes>;
  /** The programs by id, all or `only` these, as `readPrograms` does. */
  programs(sizes: SourceSizes, only?: readonly string[]): AsyncGenerator<readonly ReadProgram[], void>;
  /** P130: those of the programs that are stated to be withdrawn; asks for nothing but ids and states. */
  withdrawn(programs: Pick<Manifest["programs"], "has" | "ids">): Promise<StatedWithdrawn>;
}

/** Runs with the rows of a tenant. */
export type WithTenantRows = <Result>(
  tenantId: TenantId,
  limits: SourceLimits,
  read: (rows: TenantRows) => Promise<Result>,
) => Promise<Result>;

/** The states of a tenant's programs come within so much, or not at all: they may be asked for again. */
const maxStatesMs = 60_000;

/** P130: the rows of a tenant that is not to be read for this reason: nothing is asked for but what is withdrawn. */
export function unreadableRows(failure: Failure, withRows: WithTenantRows): WithTenantRows {
  return (tenantId, limits, read) =>
    read({
      sums: () => Promise.reject(failure),
      programs: () => {
        throw failure;
      },
      withdrawn: (programs) => withRows(tenantId, limits, (rows) => rows.withdrawn(programs)),
    });
}

/** The rows of the source views. */
export function databaseRows(pool: SourcePool): WithTenantRows {
  return (tenantId, limits, read) =>
    pool.withReading((client) =>
      read({
        sums: (take, only) => readProgramSums(client, tenantId, limits, take, only),
        programs: (sizes, only) => readPrograms(client, tenantId, limits, sizes, only),
        withdrawn: async (programs) => {
          await limitWaiting(client, "statement_timeout", maxStatesMs);
          return await readWithdrawnAround(client, tenantId, programs);
        },
      }),
    );
}
