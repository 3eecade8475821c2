import { createHash } from "node:crypto";
import { detailEntry, type Manifest, type ResponseEntry } from "../../../core/documents/manifest.ts";
import { readManifest } from "../../../core/documents/read-manifest.ts";
import { Failure, unlessFailed } from "../../../core/ground/failure.ts";
import { isSnapshotId, type SnapshotId, type TenantId } from "../../../core/ground/ids.ts";
import { maxManifestBytes } from "../../../core/ground/limits.ts";
import { manifestKey } from "../../../core/ground/object-key.ts";
import { joinedPieces, parseStoredDocument, piecesOf, sha256Hex } from "../../../core/store/object-body.ts";
import type { ObjectStore, StoredObject } from "../../../core/store/object-store.ts";
import type { ManifestDocument } from "../../../schemas/generated/types.ts";
import { isManifestDocument } from "../../../schemas/generated/validators-stored.ts";

/** The part of a manifest before its programs. */
export interface ManifestHead extends Pick<Manifest, "snapshotId" | "generation" | "parent" | "generatedAt"> {
  /** When the database was read for what partners see. Before `generatedAt` if a build only withdrew. */
  readonly contentAt: string;
  readonly programs: number;
  /** When the manifest was stored, by the store's clock. */
  readonly storedAt: Date;
  /** The program asked for: `null` when it is lacking, `unknown` when the manifest's rest is damaged. */
  readonly entry?: ResponseEntry | null | "unknown" | undefined;
}

/**
 * Reads the beginning of a manifest, so that a history of many snapshots does not cost as many whole
 * manifests. `undefined` when there is none. Neither digest nor entries are checked, so nothing may be made
 * live or deleted because of a head alone. A manifest that is not in the canonical form is read whole, and so
 * is one in which a program is looked for. Throws `corrupt_document`.
 */
export async function readManifestHead(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  signal: AbortSignal,
  programId?: string,
): Promise<ManifestHead | undefined> {
  const key = manifestKey(tenantId, snapshotId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  const storedAt = found.modifiedAt;
  const pieces = programId === undefined ? headPieces(found) : piecesOf(found);
  const bytes = await joinedPieces(pieces, maxManifestBytes, key);
  const entry = programId === undefined ? undefined : await entryIn(bytes, tenantId, snapshotId, programId);
  const document = canonicalHead(bytes);
  if (document === undefined) {
    const whole = await readStoredManifest(store, tenantId, snapshotId, signal);
    if (whole === undefined) return undefined;
    const { contentAt = whole.manifest.generatedAt, programs } = whole.manifest;
    return { ...whole.manifest, contentAt, programs: programs.count, storedAt, entry };
  }
  if (document.tenantId !== tenantId || document.snapshotId !== snapshotId) {
    throw new Failure("corrupt_document", `${key} belongs to another tenant or snapshot.`);
  }
  const { generation, generatedAt, contentAt = generatedAt, counts } = document;
  const parent = document.parent !== null && isSnapshotId(document.parent) ? document.parent : null;
  const { programs } = counts;
  return { snapshotId, generation, parent, generatedAt, contentAt, programs, storedAt, entry };
}

/**
 * Reads the manifest of any snapshot, with its digest; `undefined` when it has none. A pointer states only
 * the digest of the live manifest. So the bytes are read twice, and both readings must agree: a damaged
 * transfer must not decide what becomes live or is deleted. Throws `corrupt_document`.
 */
export async function readStoredManifest(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  signal: AbortSignal,
): Promise<{ readonly manifest: Manifest; readonly sha256: string } | undefined> {
  const key = manifestKey(tenantId, snapshotId);
  const first = await store.get(key, { signal });
  if (first.kind !== "object") return undefined;
  const hash = createHash("sha256");
  for await (const chunk of piecesOf(first)) hash.update(chunk);
  const sha256 = hash.digest("hex");
  const second = await store.get(key, { signal });
  if (second.kind !== "object") return undefined;
  const manifest = await readManifest(piecesOf(second), { tenantId, snapshotId, manifestSha256: sha256 });
  return { manifest, sha256 };
}

/** The pieces up to the first program. Leaving the loop destroys the stream, and with it the transfer. */
async function* headPieces(found: StoredObject): AsyncGenerator<Buffer> {
  let text = "";
  for await (const chunk of piecesOf(found)) {
    yield chunk;
    text += chunk.toString("latin1");
    if (text.includes(programsStart) || text.length > maxHeadLength) return;
  }
}

/** Nothing states an old manifest's digest. It was read once: a bad transfer may give a wrong line. */
async function entryIn(
  bytes: Buffer,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  programId: string,
): Promise<ManifestHead["entry"]> {
  const expected = { tenantId, snapshotId, manifestSha256: sha256Hex(bytes) };
  const manifest = await unlessFailed(readManifest([bytes], expected), "corrupt_document");
  return manifest === undefined ? "unknown" : (detailEntry(manifest, programId) ?? null);
}

/** The canonical form names programs last, so the text before is the manifest of an empty snapshot. */
function canonicalHead(bytes: Buffer): ManifestDocument | undefined {
  const end = bytes.indexOf(programsStart) + programsStart.length;
  const head = Buffer.concat([bytes.subarray(0, end), Buffer.from("}}")]);
  try {
    return parseStoredDocument(head, isManifestDocument, "the head");
  } catch {
    return undefined;
  }
}

const programsStart = '"programs":{';
/** The 300 ancestors and 200 removed programs, with ids as long as they may be. */
const maxHeadLength = 64 * 1024;
