import { Failure } from "../../../core/failure.ts";
import { isProgramId, type TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { readBody, sha256Hex } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceDocument } from "../../../schemas/generated/types.ts";
import { isSourceDocument } from "../../../schemas/generated/validators-source.ts";
import { validate } from "../../../schemas/validate.ts";
import { legacyEnds, listEnds } from "./list-form.ts";
import { RememberedPrograms } from "./remembered-programs.ts";
import { type BlockedReading, type MemoryTail, memorySealBytes } from "./source-memory.ts";

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
    const bytes = await readBody(found.body, maxMemoryBytes, key);
    const document = parsedMemory(bytes);
    if (document === undefined) return undefined;
    const isOurs = document.tenantId === tenantId && document.snapshotId === live.snapshotId;
    if (!isOurs || document.recipe !== recipe) return undefined;
    if ("blocked" in document.rest) return { kind: "blocked", ...document.rest.blocked };
    const programs = new RememberedPrograms(linesOf(bytes));
    return describes(programs, live) ? { kind: "programs", programs, ...document.rest } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Failure && error.code === "corrupt_document"))
      return undefined;
    throw error;
  }
}

/** The document without its lines, if it has the digest that it states. Throws `SyntaxError`. */
function parsedMemory(bytes: Buffer): SourceDocument | undefined {
  const { headEnd, tailStart } = placesOf(bytes);
  const text = bytes.toString("utf8", 0, headEnd) + bytes.toString("utf8", tailStart);
  const result = validate(isSourceDocument, JSON.parse(text));
  if (!result.valid) return undefined;
  const sealed = bytes.subarray(0, -memorySealBytes);
  return result.document.sha256 === sha256Hex(sealed) ? result.document : undefined;
}

function linesOf(bytes: Buffer): Buffer {
  const { headEnd, tailStart } = placesOf(bytes);
  return bytes.subarray(Math.min(headEnd + 1, tailStart), tailStart);
}

/** The line breaks before the first program and behind the last one, which are the same when there is none. */
function placesOf(bytes: Buffer): { readonly headEnd: number; readonly tailStart: number } {
  const headEnd = bytes.indexOf("\n");
  const tailStart = bytes.lastIndexOf("\n");
  if (headEnd === -1) throw new SyntaxError("no line ends");
  return { headEnd, tailStart };
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
