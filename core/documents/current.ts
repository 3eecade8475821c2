import type { CurrentDocument } from "../../schemas/generated/types.ts";
import { isCurrentDocument } from "../../schemas/generated/validators-stored.ts";
import { Failure } from "../ground/failure.ts";
import { isSnapshotId, type SnapshotId, type TenantId } from "../ground/ids.ts";
import { documentBytes, parseStoredDocument } from "../store/object-body.ts";

/** A tenant's pointer (`current.json`): the one mutable object that decides what its partners see. */
export interface Current {
  readonly tenantId: TenantId;
  /** Rises with every change of the snapshot, also with a rollback. */
  readonly generation: number;
  readonly snapshotId: SnapshotId;
  readonly manifestSha256: string;
  /** RFC 3339, UTC. */
  readonly publishedAt: string;
  /** No build replaces the snapshot while this is set. */
  readonly hold: { readonly reason: string; readonly since: string } | null;
  /** Random, so that two documents of the same content never have the same ETag. */
  readonly nonce: string;
}

/** Throws `corrupt_document`, also when the document names another tenant. */
export function parseCurrent(bytes: Uint8Array, tenantId: TenantId): Current {
  const what = `current.json of tenant ${tenantId}`;
  const document: CurrentDocument = parseStoredDocument(bytes, isCurrentDocument, what);
  const { snapshotId } = document;
  if (document.tenantId !== tenantId) {
    throw new Failure("corrupt_document", `${what} belongs to another tenant.`);
  }
  if (!isSnapshotId(snapshotId)) throw new Failure("corrupt_document", `${what} names no snapshot.`);
  const { format: _, ...rest } = document;
  return { ...rest, tenantId, snapshotId };
}

export function currentBytes(current: Current): Buffer {
  const { tenantId, generation, snapshotId, manifestSha256, publishedAt, hold, nonce } = current;
  const format = "partner-programs/current@1";
  return documentBytes({
    format,
    tenantId,
    generation,
    snapshotId,
    manifestSha256,
    publishedAt,
    hold,
    nonce,
  } satisfies CurrentDocument);
}
