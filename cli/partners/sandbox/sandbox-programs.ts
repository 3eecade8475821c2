import { createHash } from "node:crypto";
import type { ProgramSource } from "../../publish/public-program/program-source.ts";
import { programSource } from "../../publish/source/program-row.ts";
import type { WithTenantRows } from "../../publish/source/tenant-rows.ts";
import stored from "./sandbox-programs.json" with { type: "json" };

interface SandboxFile {
  /** A usual program of 20 places, with room and child prices. The others say how they differ from it. */
  readonly usual: Partial<ProgramSource>;
  /** In the order in which people should read them; each has what differs from the usual program. */
  readonly programs: readonly (Partial<ProgramSource> & {
    readonly programId: string;
    readonly shows: string;
  })[];
}

// JSON has no tuples, so the compiler cannot check the rows. The sandbox is published with every program
// valid, or not at all.
const { usual, programs } = stored as unknown as SandboxFile;

/** What each program shows to the author of a partner's client, in the order to read it. */
export const sandboxCases = programs.map(({ programId, shows }) => ({ programId, shows }));

/** A program whose id is not NULL. */
interface ProgramWithId extends ProgramSource {
  readonly programId: string;
}

/**
 * In the order of their ids, as a database gives them. The ids stay, because partners' tests name them, and
 * so do the dates, so that the bytes are the same on every day.
 */
export const sandboxPrograms: readonly ProgramWithId[] = programs
  .map(({ programId, shows: _, ...own }) => bareProgram(programId, { ...usual, ...own }))
  .sort((a, b) => (a.programId < b.programId ? -1 : 1));

/** An active program of which nothing is known but `own`. */
export function bareProgram(programId: string, own: Partial<ProgramSource>): ProgramWithId {
  return { ...programSource(programId, {}, null), lifecycleState: "active", ...own, programId };
}

/** The rows of the sandbox, which come with the generator (P97), as a tenant's build reads them. */
export const withSandboxRows: WithTenantRows = (_tenantId, read) =>
  read({
    async sums() {
      const sums = sandboxPrograms.map((program) => [program.programId, sumOf(program)] as const);
      return { sums: new Map(sums), strays: [] };
    },
    async *programs({ only }) {
      const isWanted = ({ programId }: ProgramWithId): boolean => only?.includes(programId) ?? true;
      yield sandboxPrograms.filter(isWanted).map((source) => ({ source, isDuplicate: false }));
    },
    withdrawn: async () => [],
  });

/** A sum like PostgreSQL's: 64 bits as a decimal number. */
function sumOf(program: ProgramSource): string {
  return createHash("sha256").update(JSON.stringify(program)).digest().readBigInt64BE().toString();
}
