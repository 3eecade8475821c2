import type { ConfirmedDocument, TenantConfirmation } from "../../schemas/generated/types.ts";
import { isConfirmedDocument } from "../../schemas/generated/validators-stored.ts";
import { Failure } from "../ground/failure.ts";
import { isSnapshotId, isTenantId, type SnapshotId, type TenantId } from "../ground/ids.ts";
import { maxConfirmedBytes } from "../ground/limits.ts";
import { confirmedKey } from "../ground/object-key.ts";
import { joinedPieces, linedBytes, parseLargeDocument } from "../store/object-body.ts";

/** A tenant's entry in `runs/confirmed.json`, which builds write. Times are RFC 3339, UTC. */
export interface Confirmation {
  /** P23: the snapshot to which `confirmedAt` belongs, live or not; `null` when none was ever confirmed. */
  readonly snapshotId: SnapshotId | null;
  /** When the source was last read and agreed with the snapshot; `null` when `snapshotId` is `null`. */
  readonly confirmedAt: string | null;
  /** When the last build of the tenant ended. */
  readonly triedAt: string;
  /** How that build ended: an outcome of the run report. A newer version may have written an unknown one. */
  readonly outcome: string;
}

/** `runs/confirmed.json`: how old each tenant's data is. All programs read it from here. */
export type Confirmations = ReadonlyMap<TenantId, Confirmation>;

export const confirmedFormat = "partner-programs/confirmed@1";

/** The document's bytes, tenants in order. */
export function confirmationsBytes(confirmations: Confirmations): Buffer {
  const empty: ConfirmedDocument = { format: confirmedFormat, tenants: {} };
  const entries = [...confirmations]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tenantId, { snapshotId, confirmedAt, triedAt, outcome }]) => {
      const entry: TenantConfirmation = { snapshotId, confirmedAt, triedAt, outcome };
      return `${JSON.stringify(tenantId)}:${JSON.stringify(entry)}`;
    });
  return linedBytes(empty, entries);
}

/** When the snapshot was last confirmed; `null` without an entry, or when it is of another snapshot (P23). */
export function confirmedAtOf(entry: Confirmation | undefined, snapshotId: string): string | null {
  return entry?.snapshotId === snapshotId ? entry.confirmedAt : null;
}

/** Throws `corrupt_document` for a document that does not fit its schema or exceeds `maxConfirmedBytes`. */
export async function readConfirmations(body: AsyncIterable<Uint8Array>): Promise<Confirmations> {
  const bytes = await joinedPieces(body, maxConfirmedBytes, confirmedKey);
  const document = await parseLargeDocument(bytes, isConfirmedDocument, "tenants", confirmedKey);
  const confirmations = new Map<TenantId, Confirmation>();
  for (const [tenantId, entry] of Object.entries(document.tenants)) {
    const { snapshotId, confirmedAt, triedAt, outcome } = entry;
    const isWhole = (snapshotId === null) === (confirmedAt === null);
    if (!isWhole || !isTenantId(tenantId) || (snapshotId !== null && !isSnapshotId(snapshotId))) {
      throw new Failure("corrupt_document", `${confirmedKey} has an entry that confirms no snapshot.`);
    }
    confirmations.set(tenantId, { snapshotId, confirmedAt, triedAt, outcome });
  }
  return confirmations;
}
