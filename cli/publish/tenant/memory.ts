import type { Manifest } from "../../../core/manifest.ts";
import { bytesBody, readBody, sha256Hex } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { SourceDocument } from "../../../schemas/generated/types.ts";
import type { PublicFacts } from "../guards/field-guard.ts";
import type { DataProblem, ProblemCode } from "../public-program/problem.ts";
import { textBody } from "../snapshot/stored-snapshot.ts";
import { maxMemoryBytes, maxRememberedFindings } from "../source/limits.ts";
import type { Attempt, BuildContext, BuildOptions, Live } from "./build-context.ts";

/*
 * The generator's memory of a tenant's source, `tenants/<tenant>/source.json`: the sums of the rows behind the live snapshot, and
 * what became of each program. The next build reads only the programs whose sums differ. A memory of another snapshot or recipe
 * counts as none, and so does a damaged one; then every program is read.
 */

type MemoryContext = Pick<BuildContext, "store" | "signal">;

export interface Memory {
  readonly programs: ReadonlyMap<string, ProgramLine>;
  /** When false, no build looks for a `live/` folder that is not wanted. */
  readonly mayHaveLiveTree: boolean;
}

/**
 * What became of a program. `state`: the parts of its public detail that are filled, as a bit set in hex; or why it has none.
 * `used`: its `capacity.used`. `sum` is `undefined` for a program that the next build reads again in any case.
 */
export type ProgramLine = readonly [
  programId: string | null,
  sum: string | undefined,
  state: string,
  used: number | null,
  ...findings: (readonly [code: ProblemCode, field: string | null, value: string | null])[],
];

export function isPublished([, , state]: ProgramLine): boolean {
  return state !== "unpublished" && state !== "invalid";
}

/** P140: what partners see of a published program, as far as the guards compare it. */
export function factsOf([, , state, used]: ProgramLine): PublicFacts {
  return { parts: BigInt(`0x${state}`), used: used ?? 0 };
}

/** `outcome`: what partners see of the program, or why they do not see it. */
export function programLine(
  programId: string | null,
  sum: string | undefined,
  outcome: PublicFacts | "unpublished" | "invalid",
  problems: readonly DataProblem[],
): ProgramLine {
  const [state, used] =
    typeof outcome === "object" ? [outcome.parts.toString(16), outcome.used] : [outcome, null];
  const findings = problems.map(({ code, field, value }) => [code, field, value] as const);
  return [programId, sum, state, used, ...findings];
}

export function findingsOf([programId, , , , ...findings]: ProgramLine): readonly DataProblem[] {
  return findings.map(([code, field, value]) => ({ code, programId, field, value }));
}

/** `undefined` when there is no memory of this snapshot and recipe that can be trusted. */
export async function readMemory(
  { options, context }: { readonly options: Pick<BuildOptions, "recipe">; readonly context: MemoryContext },
  live: Manifest,
): Promise<Memory | undefined> {
  const key = sourceMemoryKey(live.tenantId);
  const found = await context.store.get(key, { signal: context.signal, wholeUpTo: maxMemoryBytes });
  if (found.kind !== "object") return undefined;
  try {
    const bytes = await readBody(found, maxMemoryBytes, key);
    const end = bytes.length - seal("0".repeat(64)).length;
    // The digest says that a generator wrote the document, and the recipe, that it was this very one.
    if (bytes.toString("latin1", end) !== seal(sha256Hex(bytes.subarray(0, end)))) return undefined;
    const document: SourceDocument = JSON.parse(bytes.toString());
    const isOurs = document.tenantId === live.tenantId && document.snapshotId === live.snapshotId;
    if (!isOurs || document.recipe !== options.recipe) return undefined;
    const programs = new Map<string, ProgramLine>();
    for (const line of document.programs as readonly unknown[] as readonly ProgramLine[])
      programs.set(line[0] ?? "", line);
    return { programs, mayHaveLiveTree: document.mayHaveLiveTree };
  } catch {
    return undefined;
  }
}

/**
 * Writes the memory of the live snapshot, unless `known` is the stored one and says the same. There is no condition: the last writer
 * wins, and losing the memory only makes the next build read everything.
 */
export async function writeMemory(
  { tenantId, options, context }: Attempt,
  { current: { snapshotId } }: Live,
  lines: readonly ProgramLine[],
  mayHaveLiveTree: boolean,
  known?: Memory,
): Promise<void> {
  const programs = lines.filter(
    ([id, sum, , , ...findings]) =>
      id !== null && sum !== undefined && findings.length <= maxRememberedFindings,
  );
  const isStored = (line: ProgramLine): boolean => {
    const stored = known?.programs.get(line[0] ?? "");
    return stored === line || JSON.stringify(stored) === JSON.stringify(line);
  };
  const isSameSize = known?.programs.size === programs.length && known.mayHaveLiveTree === mayHaveLiveTree;
  if (isSameSize && programs.every(isStored)) return;
  const format = "partner-programs/source@2";
  const head = JSON.stringify({ format, tenantId, snapshotId, recipe: options.recipe, mayHaveLiveTree });
  const { bytes, sha256 } = textBody(memoryText(head, programs));
  const body = bytesBody(Buffer.concat([bytes, Buffer.from(seal(sha256))]));
  await context.store.put(sourceMemoryKey(tenantId), body, { signal: context.signal });
}

/** The next build reads every program. */
export async function forgetMemory({ tenantId, context }: Attempt): Promise<void> {
  await context.store.delete([sourceMemoryKey(tenantId)], { signal: context.signal });
}

function* memoryText(head: string, programs: readonly ProgramLine[]): Generator<string> {
  yield `${head.slice(0, -1)},"programs":[`;
  for (const [at, line] of programs.entries()) yield `${at === 0 ? "" : ","}\n${JSON.stringify(line)}`;
  yield "\n]";
}

/** The SHA-256 of everything before it. */
function seal(sha256: string): string {
  return `,"sha256":"${sha256}"}`;
}
