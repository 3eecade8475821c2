import { createHash } from "node:crypto";
import type { ProgramSource, ProgramWithId } from "../public-program/program-source.ts";
import { compareIds } from "../source/contract.ts";
import type { ReadProgram } from "../source/read-programs.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import { sandboxPrograms } from "./sandbox-programs.ts";

/** The rows of the sandbox, which come with the generator (P97), as a tenant's build reads them. */
export const withSandboxRows: WithTenantRows = (_tenantId, read) =>
  read({
    async sums() {
      return chosen(undefined).map((program) => {
        return { programId: program.programId, sum: sumOf(program), views: inPrograms };
      });
    },
    async *programs({ only }) {
      yield chosen(only).map(asRead);
    },
    withdrawn: async () => [],
  });

/** The bit of the view `programs` in `ProgramSum.views`. */
const inPrograms = 1;

function chosen(only: readonly string[] | undefined): readonly ProgramWithId[] {
  return [...sandboxPrograms]
    .sort((a, b) => compareIds(a.programId, b.programId))
    .filter(({ programId }) => only === undefined || only.includes(programId));
}

function asRead(source: ProgramSource): ReadProgram {
  return { source, isDuplicate: false };
}

/** A sum like PostgreSQL's: 64 bits as a decimal number. */
function sumOf(program: ProgramSource): string {
  return createHash("sha256").update(JSON.stringify(program)).digest().readBigInt64BE().toString();
}
