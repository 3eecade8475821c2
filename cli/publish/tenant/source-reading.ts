import { createHash } from "node:crypto";
import { type ProgramSum, type StrayRows, strayRows } from "../source/program-sums.ts";
import type { ReadProgram } from "../source/read-programs.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { RememberedProgram, SourceMemory } from "./source-memory.ts";

/** What a tenant's source says, compared with the memory. */
export interface SourceReading {
  /** Unchanged programs, in the order of the ids, which are taken over from the live snapshot. */
  readonly kept: readonly RememberedProgram[];
  /** Whether all programs are read, because nothing is remembered or too much has changed. */
  readonly isFull: boolean;
  /** Whether only some programs were looked at. */
  readonly isHinted: boolean;
  readonly strays: readonly StrayRows[];
  /** Whether all programs that are read can be asked for by their ids. */
  readonly canBeNamed: boolean;
  sumOf(programId: string): string | undefined;
  /** SHA-256 (hex) of the sums of all programs. */
  digest(): string;
  /** The programs that are not kept, by id. Called at most once. */
  programs(): AsyncGenerator<readonly ReadProgram[], void>;
}

/** When a larger share of the programs has changed, all are read. Looking each one up by its id would cost more. */
const maxChangedShare = 1 / 3;
/** Longer ids are cut in the sums, so they cannot be asked for by name. */
const maxNameLength = 999;

/**
 * P21: finds the programs whose sums have changed. `hinted`: the only ones that may have changed since the memory was written;
 * not used without a memory.
 */
export async function readSource(
  rows: TenantRows,
  memory: Promise<SourceMemory | undefined>,
  hinted: ReadonlySet<string> | undefined,
): Promise<SourceReading> {
  const only = hinted === undefined ? undefined : lookedAt(await memory, hinted);
  // The database computes the sums while the memory is fetched and parsed.
  const summing = rows.sums(only && [...only]);
  summing.catch(() => {});
  const known = await memory;
  const remembered = known?.kind === "programs" ? known.programs : undefined;
  const { sums: found, small } = await summing;

  const inPrograms = found.filter(({ views }) => (views & 1) === 1);
  const sums = new Map(inPrograms.map(({ programId, sum }) => [programId, sum]));
  const canBeNamed = inPrograms.every(({ programId }) => programId !== null && isName(programId));
  const kept = [...(remembered?.values() ?? [])].filter(
    ([id, sum]) => only?.has(id) === false || sums.get(id) === sum,
  );
  const ids = [...sums.keys()].filter((id) => id !== null);
  const changed = ids.filter((id) => remembered?.get(id)?.[1] !== sums.get(id));
  const isFew = canBeNamed && changed.length <= (changed.length + kept.length) * maxChangedShare;
  const isFull = remembered === undefined || (only === undefined && !isFew);
  return {
    kept: isFull ? [] : kept,
    isFull,
    isHinted: only !== undefined,
    strays: strayRows(found),
    canBeNamed,
    sumOf: (programId) => sums.get(programId),
    digest: () => digestOf(found),
    programs: () => {
      if (isFull) return rows.programs(small, { count: found.length });
      return changed.length === 0 ? nothing() : rows.programs(small, { only: changed });
    },
  };
}

/**
 * The programs to look at when only the hinted ones may have changed; `undefined`: all. Rows of unknown programs are found only
 * among all rows, so a tenant with such rows takes no hints.
 */
function lookedAt(
  memory: SourceMemory | undefined,
  hinted: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  if (memory?.kind !== "programs" || memory.unlisted === null) return undefined;
  const only = new Set([...hinted, ...memory.unlisted]);
  return memory.strays.length > 0 || ![...only].every(isName) ? undefined : only;
}

function isName(programId: string): boolean {
  return programId.length <= maxNameLength;
}

function digestOf(found: readonly ProgramSum[]): string {
  const hash = createHash("sha256");
  for (const { programId, sum } of found) hash.update(`${JSON.stringify([programId, sum])}\n`);
  return hash.digest("hex");
}

async function* nothing(): AsyncGenerator<readonly ReadProgram[], void> {}
