import { Failure } from "../../core/failure.ts";
import { isProgramId, type TenantId } from "../../core/ids.ts";
import type { Manifest } from "../../core/manifest.ts";
import { readBody, sha256Hex } from "../../core/object-body.ts";
import { sourceMemoryKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { legacyEnds, listEnds } from "./list-form.ts";
import { RememberedPrograms } from "./remembered-programs.ts";
import {
  type BlockedReading,
  type MemoryTail,
  memorySealBytes,
  sourceMemoryFormat,
} from "./source-memory.ts";

export type SourceMemory =
  | ({ readonly kind: "programs"; readonly programs: RememberedPrograms } & MemoryTail)
  | ({ readonly kind: "blocked" } & BlockedReading);

/** 100 bytes for each of five million programs. */
const maxMemoryBytes = 512 * 1024 * 1024;

/**
 * The generator's memory of the tenant's source, when it describes this live snapshot and was written by this recipe.
 * Otherwise, and when anything about it is not as it was written, `undefined`: then everything is read.
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
    const memory = parsedMemory(await readBody(found.body, maxMemoryBytes, key));
    if (memory === undefined) return undefined;
    const { head } = memory;
    const isOurs =
      head.format === sourceMemoryFormat && head.tenantId === tenantId && head.snapshotId === live.snapshotId;
    if (!isOurs || head.recipe !== recipe) return undefined;
    if (memory.blocked !== undefined) return { kind: "blocked", ...memory.blocked };
    return describes(memory.programs, live) ? { kind: "programs", ...memory } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Failure && error.code === "corrupt_document"))
      return undefined;
    throw error;
  }
}

interface ParsedMemory extends MemoryTail {
  readonly head: Readonly<Record<string, unknown>>;
  readonly programs: RememberedPrograms;
  readonly blocked: BlockedReading | undefined;
}

/** Only what we wrote has the right digest, so its parts are what they were. Throws `SyntaxError`. */
function parsedMemory(bytes: Buffer): ParsedMemory | undefined {
  const sealed = bytes.subarray(0, -memorySealBytes);
  const seal = bytes.subarray(-memorySealBytes).toString("latin1");
  if (bytes.length < memorySealBytes || !seal.includes(`"${sha256Hex(sealed)}"`)) return undefined;
  const headEnd = sealed.indexOf("\n");
  const tailStart = sealed.lastIndexOf("\n");
  if (headEnd === -1 || tailStart === -1) return undefined;
  const head = JSON.parse(`${sealed.toString("utf8", 0, headEnd)}]}`);
  const { rest } = JSON.parse(`{"programs":[${sealed.toString("utf8", tailStart + 1)}}`);
  const lines = sealed.subarray(Math.min(headEnd + 1, tailStart), tailStart);
  const { strays, unlisted, mayHaveLiveTree, blocked } = rest;
  return { head, programs: new RememberedPrograms(lines), strays, unlisted, mayHaveLiveTree, blocked };
}

/** Whether the published programs are those of the snapshot, and their elements fill its lists exactly. */
function describes(programs: RememberedPrograms, live: Manifest): boolean {
  let published = 0;
  let listBytes = 0;
  let legacyBytes = 0;
  for (let line = 0; line < programs.count; line += 1) {
    if (!isProgramId(programs.idAt(line))) return false;
    if (!programs.isPublished(line)) continue;
    if (!live.programs.has(programs.idAt(line))) return false;
    published += 1;
    listBytes += programs.listBytesAt(line);
    legacyBytes += programs.legacyBytesAt(line);
  }
  const commas = Math.max(0, published - 1);
  const around = (ends: readonly string[]): number => ends.join("").length + commas;
  return (
    published === live.programs.count &&
    listBytes + around(listEnds(published)) === live.list.size &&
    legacyBytes + around(legacyEnds) === live.legacy.size
  );
}
