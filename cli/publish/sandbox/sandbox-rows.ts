import { createHash } from "node:crypto";
import { Failure } from "../../../core/failure.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { ProgramSource, ProgramWithId } from "../public-program/program-source.ts";
import { compareIds } from "../source/contract.ts";
import type { ReadProgram } from "../source/read-programs.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import { readSandbox } from "./sandbox-document.ts";
import { sandboxPrograms } from "./sandbox-programs.ts";

/**
 * The rows of the sandbox come with the generator (P97). Each reading checks that the tenant is still the sandbox, so that a
 * build under way does not bring back one that was ended. Throws `not_found`.
 */
export function sandboxRows(store: ObjectStore, signal: AbortSignal): WithTenantRows {
  return async (tenantId, read) => {
    if ((await readSandbox(store, signal)) !== tenantId) {
      throw new Failure("not_found", `${tenantId} is no longer the sandbox; nothing was published.`);
    }
    return await read({
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
  };
}

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
