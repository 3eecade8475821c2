import { createHash } from "node:crypto";
import type { ProgramSource, ProgramWithId } from "../public-program/program-source.ts";
import { compareIds } from "../source/contract.ts";
import { programSource } from "../source/program-row.ts";
import type { ReadProgram } from "../source/read-programs.ts";
import type { WithTenantRows } from "../source/tenant-rows.ts";
import stored from "./sandbox-programs.json" with { type: "json" };

/** A program of the sandbox, and what it shows to the author of a partner's client. */
interface SandboxCase {
  readonly id: string;
  readonly shows: string;
}

interface SandboxFile {
  /** A usual program of 20 places, with room and child prices. The others say how they differ from it. */
  readonly usual: Partial<ProgramSource>;
  /** In the order in which people should read them; each has what differs from the usual program. */
  readonly programs: readonly (Partial<ProgramSource> & {
    readonly programId: string;
    readonly shows: string;
  })[];
}

// JSON has no tuples, so the compiler cannot check the rows. The sandbox is published with every program valid, or not at all.
const { usual, programs } = stored as unknown as SandboxFile;

/** What each program shows, in the order in which people should read it. */
export const sandboxCases: readonly SandboxCase[] = programs.map(({ programId: id, shows }) => ({
  id,
  shows,
}));

/** Their ids stay, because partners' tests name them, and their dates, so that the bytes are the same on every day. */
export const sandboxPrograms: readonly ProgramWithId[] = programs.map(({ programId, shows: _, ...own }) =>
  bareProgram(programId, { ...usual, ...own }),
);

/** An active program of which nothing is known but `own`. */
export function bareProgram(programId: string, own: Partial<ProgramSource>): ProgramWithId {
  return { ...programSource(programId, {}, null), lifecycleState: "active", ...own, programId };
}

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
