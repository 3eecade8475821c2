import type { TenantId } from "../../core/ids.ts";
import type { SourcePool } from "../database/connect.ts";
import { type ProgramSum, readProgramSums } from "./program-sums.ts";
import { type ReadProgram, readPrograms } from "./read-programs.ts";
import type { SourceLimits, SourceSizes } from "./source-limits.ts";

/** A tenant's programs within one consistent reading, wherever they come from. */
export interface TenantRows {
  /** Hands over the sum of each program, as `readProgramSums` does. */
  sums(take: (sum: ProgramSum) => void, only?: readonly string[]): Promise<SourceSizes>;
  /** The programs by id, all or `only` these, as `readPrograms` does. */
  programs(sizes: SourceSizes, only?: readonly string[]): AsyncGenerator<readonly ReadProgram[], void>;
}

/** Runs with the rows of a tenant. */
export type WithTenantRows = <Result>(
  tenantId: TenantId,
  limits: SourceLimits,
  read: (rows: TenantRows) => Promise<Result>,
) => Promise<Result>;

/** The rows of the source views. */
export function databaseRows(pool: SourcePool): WithTenantRows {
  return (tenantId, limits, read) =>
    pool.withReading((client) =>
      read({
        sums: (take, only) => readProgramSums(client, tenantId, limits, take, only),
        programs: (sizes, only) => readPrograms(client, tenantId, limits, sizes, only),
      }),
    );
}
