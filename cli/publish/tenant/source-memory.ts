import { hash } from "node:crypto";
import { Failure } from "../../../core/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { readBody, sha256Hex } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { ProgramCounts } from "../../../schemas/generated/types.ts";
import { isSourceDocument } from "../../../schemas/generated/validators-source.ts";
import { validate } from "../../../schemas/validate.ts";
import type { Findings } from "../content/problem-log.ts";
import type { PublicFacts } from "../content/public-facts.ts";
import type { EmptiedField } from "../guards/field-guard.ts";
import type { DataProblem, ProblemCode } from "../public-program/problem.ts";
import type { StrayRows } from "../source/program-sums.ts";

/**
 * The generator's memory of a tenant's source, `tenants/<tenant>/source.json`, so that the next build reads only what has
 * changed. It describes the live snapshot, or what a blocked build found.
 */
export type SourceMemory =
  | ({
      readonly kind: "programs";
      /** By id, in the order of the ids. */
      readonly programs: ReadonlyMap<string, RememberedProgram>;
    } & MemoryRest)
  | ({ readonly kind: "blocked" } & BlockedReading);

type RememberedFinding = readonly [code: ProblemCode, field: string | null, value: string | null];

/** A line of the memory: a program, the sum of its rows, and what became of it. `parts` is in hex. */
export type RememberedProgram =
  | readonly [
      programId: string,
      sum: string,
      state: "active",
      departureDate: string | null,
      parts: string,
      used: number,
      ...findings: RememberedFinding[],
    ]
  | readonly [programId: string, sum: string, state: string];

type RememberedPublished = Extract<RememberedProgram, { readonly 2: "active" }>;

export interface MemoryRest {
  readonly strays: readonly StrayRows[];
  /** Programs without a line in the memory, which every build reads. `null`: some of them have no id to ask for. */
  readonly unlisted: readonly string[] | null;
  readonly earlier: EarlierParts;
  /** When false, no build looks for a `live/` folder that is not wanted. */
  readonly mayHaveLiveTree: boolean;
}

/**
 * P141: programs that lost fields in builds of single programs since the whole source was last read, with the fields that they
 * had filled then, in hex.
 */
export type EarlierParts = readonly (readonly [programId: string, parts: string])[];

/** What a blocked build found. The next build repeats it while the source is the same. */
export interface BlockedReading {
  /** SHA-256 (hex) of the sums of all programs. */
  readonly sums: string;
  readonly counts: ProgramCounts;
  readonly findings: Findings;
  readonly leftOut: readonly (string | null)[];
  readonly emptiedFields: readonly EmptiedField[];
  readonly earlier: EarlierParts;
  readonly mayHaveLiveTree: boolean;
}

/** A memory is valid only for this live snapshot and this `recipeDigest`. */
export interface MemoryHead {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  readonly recipe: string;
}

/** A program with more findings is not remembered but read by each build, so lines stay short, and reports lose nothing. */
export const maxRememberedFindings = 50;

export function rememberedPublished(
  programId: string,
  sum: string,
  departureDate: string | null,
  { parts, used }: PublicFacts,
  findings: readonly DataProblem[],
): RememberedProgram {
  const remembered = findings.map(({ code, field, value }) => [code, field, value] as const);
  return [programId, sum, "active", departureDate, parts.toString(16), used, ...remembered];
}

export function isPublished(program: RememberedProgram): program is RememberedPublished {
  return program.length > 3;
}

/** P140: what partners see of the program, as far as the guards compare it. */
export function factsOf([, , , , parts, used]: RememberedPublished): PublicFacts {
  return { parts: BigInt(`0x${parts}`), used };
}

export function findingsOf([programId, , , , , , ...findings]: RememberedPublished): readonly DataProblem[] {
  return findings.map(([code, field, value]) => ({ code, programId, field, value }));
}

/** Each program on a line of its own, and at the end the SHA-256 of everything before it. */
export function memoryBytes(
  head: MemoryHead,
  programs: readonly RememberedProgram[],
  rest: MemoryRest | { readonly blocked: BlockedReading },
): Buffer {
  const opening = JSON.stringify({ format: "partner-programs/source@1", ...head }).slice(0, -1);
  const lines = programs.map((program) => `\n${JSON.stringify(program)}`).join(",");
  const text = `${opening},"programs":[${lines}\n],"rest":${JSON.stringify(rest)}`;
  return Buffer.from(text + seal(hash("sha256", text, "hex")));
}

function seal(sha256: string): string {
  return `,"sha256":"${sha256}"}`;
}

const sealBytes = seal("0".repeat(64)).length;
/** This is room for 2.5 million programs of 100 bytes. */
const maxMemoryBytes = 256 * 1024 * 1024;

/**
 * Reads the memory. `undefined` when it describes another snapshot, has another recipe or is damaged; then the build reads every
 * program.
 */
export async function readSourceMemory(
  store: ObjectStore,
  tenantId: TenantId,
  recipe: string,
  live: Manifest,
  signal: AbortSignal,
): Promise<SourceMemory | undefined> {
  const key = sourceMemoryKey(tenantId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  try {
    const bytes = await readBody(found, maxMemoryBytes, key);
    const parsed = validate(isSourceDocument, JSON.parse(bytes.toString("utf8")));
    if (!parsed.valid) return undefined;
    const { document } = parsed;
    const isOurs = document.tenantId === tenantId && document.snapshotId === live.snapshotId;
    if (!isOurs || document.recipe !== recipe) return undefined;
    if (document.sha256 !== sha256Hex(bytes.subarray(0, -sealBytes))) return undefined;
    if ("blocked" in document.rest) return { kind: "blocked", ...document.rest.blocked };
    // The digest says that this very generator wrote them.
    const lines = document.programs as readonly unknown[] as readonly RememberedProgram[];
    if (!areLive(lines, live)) return undefined;
    const programs = new Map(lines.map((line) => [line[0], line]));
    return { kind: "programs", programs, ...document.rest };
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Failure && error.code === "corrupt_document"))
      return undefined;
    throw error;
  }
}

/** Whether the published programs are those of the snapshot. */
function areLive(lines: readonly RememberedProgram[], live: Manifest): boolean {
  const published = lines.filter(isPublished);
  return published.length === live.programs.count && published.every(([id]) => live.programs.has(id));
}
