import type { Manifest } from "../../../core/documents/manifest.ts";
import type { SnapshotId } from "../../../core/ground/ids.ts";
import { sourceMemoryKey } from "../../../core/ground/object-key.ts";
import { bytesBody, readBody, sha256Hex } from "../../../core/store/object-body.ts";
import type { SourceDocument } from "../../../schemas/generated/types.ts";
import type { ProblemCode } from "../public-program/problem.ts";
import { textBody } from "../snapshot/stored-snapshot.ts";
import { maxMemoryBytes, maxRememberedFindings } from "../source/limits.ts";
import type { BuildAttempt, BuildContext, BuildOptions } from "./build-context.ts";
import { noProblems, type ProgramOutcome } from "./program-outcome.ts";

/*
 * The generator's memory of a tenant's source, `tenants/<tenant>/source.json`: the sums of the rows behind
 * the live snapshot, and what became of each program. The next build reads only the programs whose sums
 * differ. Damaged ones and those of another snapshot or recipe count as none; then every program is read.
 */

type MemoryContext = Pick<BuildContext, "store" | "signal">;

export interface Memory {
  readonly programs: ReadonlyMap<string, ProgramOutcome>;
  /** When false, no build looks for a `live/` folder that is not wanted. */
  readonly mayHaveLiveTree: boolean;
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
    const headEnd = bytes.indexOf(newline);
    const head: SourceDocument = JSON.parse(`${bytes.toString("utf8", 0, headEnd)}]}`);
    const isOurs = head.tenantId === live.tenantId && head.snapshotId === live.snapshotId;
    if (!isOurs || head.recipe !== options.recipe) return undefined;
    const programs = new Map<string, ProgramOutcome>();
    for (const line of storedLines(bytes, headEnd, end - "\n]".length))
      programs.set(line[0], parsedLine(line));
    return { programs, mayHaveLiveTree: head.mayHaveLiveTree };
  } catch {
    return undefined;
  }
}

/**
 * Writes the memory of the live snapshot, unless `stored` is that and says the same. There is no condition:
 * the last writer wins, and losing the memory only makes the next build read everything.
 */
export async function writeMemory(
  { tenantId, options, context }: BuildAttempt,
  snapshotId: SnapshotId,
  outcomes: readonly ProgramOutcome[],
  mayHaveLiveTree: boolean,
  stored?: Memory,
): Promise<void> {
  const programs = outcomes.filter(
    ({ programId, sum, problems }) =>
      programId !== null && sum !== undefined && problems.length <= maxRememberedFindings,
  );
  const isStored = (outcome: ProgramOutcome): boolean => {
    const known = stored?.programs.get(outcome.programId ?? "");
    return known === outcome || (known !== undefined && lineText(known) === lineText(outcome));
  };
  const isSameSize = stored?.programs.size === programs.length && stored.mayHaveLiveTree === mayHaveLiveTree;
  if (isSameSize && programs.every(isStored)) return;
  const format = "partner-programs/source@2";
  const head = JSON.stringify({ format, tenantId, snapshotId, recipe: options.recipe, mayHaveLiveTree });
  const { bytes, sha256 } = textBody(memoryText(head, programs));
  const body = bytesBody(Buffer.concat([bytes, Buffer.from(seal(sha256))]));
  await context.store.put(sourceMemoryKey(tenantId), body, { signal: context.signal });
}

/** The next build reads every program. */
export async function forgetMemory({ tenantId, context }: BuildAttempt): Promise<void> {
  await context.store.delete([sourceMemoryKey(tenantId)], { signal: context.signal });
}

/** An outcome as it is stored, without names, since there is one for each program. */
type StoredLine = readonly [
  programId: string,
  sum: string,
  state: string,
  used: number | null,
  ...problems: (readonly [code: ProblemCode, field: string | null, value: string | null])[],
];

/** The lines between two line breaks, parsed in parts: all at once would take twice the outcomes' memory. */
function* storedLines(bytes: Buffer, start: number, end: number): Generator<StoredLine> {
  for (let at = start; at < end; ) {
    const next = bytes.indexOf(newline, at + chunkBytes);
    const isLast = next < 0 || next >= end;
    // A comma ends each line but the last.
    yield* JSON.parse(`[${bytes.toString("utf8", at, isLast ? end : next - 1)}]`) as readonly StoredLine[];
    at = isLast ? end : next;
  }
}

const newline = "\n".charCodeAt(0);
const chunkBytes = 64 * 1024;

function parsedLine([programId, sum, state, used, ...found]: StoredLine): ProgramOutcome {
  if (found.length === 0) return { programId, sum, state, used, problems: noProblems };
  const problems = found.map(([code, field, value]) => ({ code, programId, field, value }));
  return { programId, sum, state, used, problems };
}

/** The outcome as a line of the stored document. */
export function lineText({ programId, sum, state, used, problems }: ProgramOutcome): string {
  const found = problems.map(({ code, field, value }) => [code, field, value]);
  return JSON.stringify([programId, sum, state, used, ...found]);
}

function* memoryText(head: string, programs: readonly ProgramOutcome[]): Generator<string> {
  yield `${head.slice(0, -1)},"programs":[`;
  for (const [at, outcome] of programs.entries()) yield `${at === 0 ? "" : ","}\n${lineText(outcome)}`;
  yield "\n]";
}

/** The SHA-256 of everything before it. */
function seal(sha256: string): string {
  return `,"sha256":"${sha256}"}`;
}
