import { hash } from "node:crypto";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { bytesBody, readBody, sha256Hex } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { isSourceDocument } from "../../../schemas/generated/validators-source.ts";
import { validate } from "../../../schemas/validate.ts";
import type { PublicFacts } from "../content/public-facts.ts";
import type { DataProblem, ProblemCode } from "../public-program/problem.ts";
import { compareIds } from "../source/contract.ts";

/*
 * The generator's memory of a tenant's source, `tenants/<tenant>/source.json`: the sums of the rows behind the live snapshot, and
 * what became of each program. The next build reads only the programs whose sums differ. A memory of another snapshot or recipe
 * counts as none, and so does a damaged one; then every program is read.
 */

type RememberedFinding = readonly [code: ProblemCode, field: string | null, value: string | null];

/**
 * What became of a program. `state`: the parts of its public detail that are filled, as a bit set in hex; or why it has none.
 * `used`: its `capacity.used`. `sum` is `undefined` for a program that the next build reads again in any case.
 */
export type ProgramLine = readonly [
  programId: string | null,
  sum: string | undefined,
  state: string,
  used: number | null,
  ...findings: RememberedFinding[],
];

export const unpublished = "unpublished";
export const invalid = "invalid";

export function isPublished([, , state]: ProgramLine): boolean {
  return state !== unpublished && state !== invalid;
}

/** P140: what partners see of a published program, as far as the guards compare it. */
export function factsOf([, , state, used]: ProgramLine): PublicFacts {
  return { parts: BigInt(`0x${state}`), used: used ?? 0 };
}

/** `outcome`: what partners see of the program, or why they do not see it. */
export function programLine(
  programId: string | null,
  sum: string | undefined,
  outcome: PublicFacts | typeof unpublished | typeof invalid,
  problems: readonly DataProblem[],
): ProgramLine {
  const isSeen = typeof outcome === "object";
  const [state, used] = isSeen ? [outcome.parts.toString(16), outcome.used] : [outcome, null];
  return [
    programId,
    sum,
    state,
    used,
    ...problems.map(({ code, field, value }) => [code, field, value] as const),
  ];
}

export function findingsOf([programId, , , , ...findings]: ProgramLine): readonly DataProblem[] {
  return findings.map(([code, field, value]) => ({ code, programId, field, value }));
}

/** By the bytes of the ids; programs without an id last, by their text. */
export function compareLines(a: ProgramLine, b: ProgramLine): number {
  if (a[0] !== null && b[0] !== null) return compareIds(a[0], b[0]);
  if (a[0] !== b[0]) return a[0] === null ? 1 : -1;
  const [text, other] = [JSON.stringify(a), JSON.stringify(b)];
  return text === other ? 0 : text < other ? -1 : 1;
}

export interface Memory {
  readonly programs: ReadonlyMap<string, ProgramLine>;
  /** When false, no build looks for a `live/` folder that is not wanted. */
  readonly mayHaveLiveTree: boolean;
}

/** What a memory belongs to. `recipe`: see `recipeDigest`. */
interface MemoryPlace {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  readonly recipe: string;
}

export async function readMemory(
  store: ObjectStore,
  recipe: string,
  live: Manifest,
  signal: AbortSignal,
): Promise<Memory | undefined> {
  const key = sourceMemoryKey(live.tenantId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  const bytes = await readBody(found, maxMemoryBytes, key).catch(() => undefined);
  const document = bytes && parsedMemory(bytes);
  if (bytes === undefined || document === undefined) return undefined;
  const isOurs = document.tenantId === live.tenantId && document.snapshotId === live.snapshotId;
  if (!isOurs || document.recipe !== recipe) return undefined;
  if (document.sha256 !== sha256Hex(bytes.subarray(0, -sealBytes))) return undefined;
  // The digest says that this very generator wrote them.
  const lines = document.programs as readonly unknown[] as readonly ProgramLine[];
  const programs = new Map(lines.map((line) => [line[0] ?? "", line]));
  const published = lines.filter(isPublished);
  const areLive = published.every(([id]) => id !== null && live.programs.has(id));
  if (!areLive || published.length !== live.programs.count) return undefined;
  return { programs, mayHaveLiveTree: document.mayHaveLiveTree };
}

function parsedMemory(bytes: Buffer) {
  try {
    const parsed = validate(isSourceDocument, JSON.parse(bytes.toString("utf8")));
    return parsed.valid ? parsed.document : undefined;
  } catch {
    return undefined;
  }
}

/** The lines that a memory keeps. A program with many findings is read again by each build, so that lines stay short. */
export function rememberedLines(lines: readonly ProgramLine[]): readonly ProgramLine[] {
  return lines.filter((line) => line[0] !== null && line[1] !== undefined && line.length <= maxLineLength);
}

const maxLineLength = 4 + 50;

/** Whether the memory says this already. */
export function isRemembered(
  memory: Memory | undefined,
  lines: readonly ProgramLine[],
  mayHaveLiveTree: boolean,
): boolean {
  if (memory?.mayHaveLiveTree !== mayHaveLiveTree || memory.programs.size !== lines.length) return false;
  return lines.every((line) => {
    const known = memory.programs.get(line[0] ?? "");
    return known === line || JSON.stringify(known) === JSON.stringify(line);
  });
}

/** Writes without a condition: the last writer wins, and losing the memory only makes the next build read everything. */
export async function writeMemory(
  store: ObjectStore,
  { tenantId, snapshotId, recipe }: MemoryPlace,
  lines: readonly ProgramLine[],
  mayHaveLiveTree: boolean,
  signal: AbortSignal,
): Promise<void> {
  const head = JSON.stringify({
    format: "partner-programs/source@2",
    ...{ tenantId, snapshotId, recipe, mayHaveLiveTree },
  }).slice(0, -1);
  const text = `${head},"programs":[${lines.map((line) => `\n${JSON.stringify(line)}`).join(",")}\n]`;
  const bytes = Buffer.from(text + seal(hash("sha256", text, "hex")));
  await store.put(sourceMemoryKey(tenantId), bytesBody(bytes), { signal });
}

/** The SHA-256 of everything before it. */
function seal(sha256: string): string {
  return `,"sha256":"${sha256}"}`;
}

const sealBytes = seal("0".repeat(64)).length;
/** This is room for 2.5 million programs of 100 bytes. */
const maxMemoryBytes = 256 * 1024 * 1024;
