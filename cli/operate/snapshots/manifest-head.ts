import { Failure } from "../../../core/failure.ts";
import { isSnapshotId, type SnapshotId, type TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { piecesOf } from "../../../core/object-body.ts";
import { manifestKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { parseStoredDocument } from "../../../core/stored-document.ts";
import type { ManifestDocument } from "../../../schemas/generated/types.ts";
import { isManifestDocument } from "../../../schemas/generated/validators-stored.ts";
import { readStoredManifest } from "../../publish/snapshot/stored-snapshot.ts";

/** The part of a manifest before its programs. */
export interface ManifestHead extends Pick<Manifest, "snapshotId" | "generation" | "parent" | "generatedAt"> {
  /**
   * When the database was read for the programs that partners see. Earlier than `generatedAt` when the build only withdrew
   * programs.
   */
  readonly contentAt: string;
  readonly programs: number;
  /** When the manifest was stored, by the store's clock. */
  readonly storedAt: Date;
}

/**
 * Reads the beginning of a manifest, so that a history of many snapshots does not cost as many whole manifests. `undefined` when
 * there is none. Neither digest nor entries are checked, so nothing may be made live or deleted because of a head alone. A
 * manifest that is not in the canonical form is read whole. Throws `corrupt_document`.
 */
export async function readManifestHead(
  store: ObjectStore,
  tenantId: TenantId,
  snapshotId: SnapshotId,
  signal: AbortSignal,
): Promise<ManifestHead | undefined> {
  const key = manifestKey(tenantId, snapshotId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  const storedAt = found.modifiedAt;
  let text = "";
  // Leaving the loop destroys the stream, and with it the transfer.
  for await (const chunk of piecesOf(found)) {
    text += Buffer.from(chunk).toString("latin1");
    if (text.includes(programsStart) || text.length > maxHeadLength) break;
  }
  const document = canonicalHead(text);
  if (document === undefined) {
    const whole = await readStoredManifest(store, tenantId, snapshotId, signal);
    if (whole === undefined) return undefined;
    const { contentAt = whole.manifest.generatedAt, programs } = whole.manifest;
    return { ...whole.manifest, contentAt, programs: programs.count, storedAt };
  }
  if (document.tenantId !== tenantId || document.snapshotId !== snapshotId) {
    throw new Failure("corrupt_document", `${key} belongs to another tenant or snapshot.`);
  }
  const { generation, generatedAt, contentAt = generatedAt, counts } = document;
  const parent = document.parent !== null && isSnapshotId(document.parent) ? document.parent : null;
  return { snapshotId, generation, parent, generatedAt, contentAt, programs: counts.programs, storedAt };
}

/** The canonical form names the programs last, so the text before them is the manifest of an empty snapshot. */
function canonicalHead(text: string): ManifestDocument | undefined {
  const end = text.indexOf(programsStart) + programsStart.length;
  try {
    return parseStoredDocument(
      Buffer.from(`${text.slice(0, end)}}}`, "latin1"),
      isManifestDocument,
      "the head",
    );
  } catch {
    return undefined;
  }
}

const programsStart = '"programs":{';
const maxHeadLength = 16 * 1024;
