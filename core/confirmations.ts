import type { ConfirmedDocument, TenantConfirmation } from "../schemas/generated/types.ts";
import { Failure } from "./failure.ts";
import { isSnapshotId, isTenantId, type SnapshotId, type TenantId } from "./ids.ts";
import { confirmedKey } from "./object-key.ts";

/** What builds found out about one tenant. Times are RFC 3339, UTC. */
export interface Confirmation {
  /** P24: the snapshot that `confirmedAt` is about, live or not; `null` when none was ever confirmed. */
  readonly snapshotId: SnapshotId | null;
  /** When the source was read that was found to be what the snapshot says; `null` with `snapshotId`. */
  readonly confirmedAt: string | null;
  /** When the last build of the tenant ended. */
  readonly triedAt: string;
  /** How it ended: an outcome of the run report's. A reader may meet one that it does not know. */
  readonly outcome: string;
}

/** `runs/confirmed.json`: the one shared answer to "how old is it?". */
export type Confirmations = ReadonlyMap<TenantId, Confirmation>;

export const confirmedFormat = "partner-programs/confirmed@1";

/** 10,000 tenants are about 2 MB. */
export const maxConfirmedBytes = 16 * 1024 * 1024;

/** Minified JSON but for a line break around each tenant's entry, tenants in order: a reader takes it line by line. */
export function confirmationsBytes(confirmations: Confirmations): Buffer {
  const empty: ConfirmedDocument = { format: confirmedFormat, tenants: {} };
  const head = JSON.stringify(empty).slice(0, -"}}".length);
  const lines = [...confirmations]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tenantId, { snapshotId, confirmedAt, triedAt, outcome }]) => {
      const entry: TenantConfirmation = { snapshotId, confirmedAt, triedAt, outcome };
      return `${JSON.stringify(tenantId)}:${JSON.stringify(entry)}`;
    });
  return Buffer.from(`${head}\n${lines.join(",\n")}\n}}`, "utf8");
}

/** An entry with its ids checked; throws `corrupt_document`. */
export function checkedConfirmation(
  tenantId: string,
  entry: TenantConfirmation,
): readonly [TenantId, Confirmation] {
  const { snapshotId, confirmedAt, triedAt, outcome } = entry;
  const isWhole = (snapshotId === null) === (confirmedAt === null);
  if (!isWhole || !isTenantId(tenantId) || (snapshotId !== null && !isSnapshotId(snapshotId))) {
    throw new Failure("corrupt_document", `${confirmedKey} has an entry that confirms no snapshot.`);
  }
  return [tenantId, { snapshotId, confirmedAt, triedAt, outcome }];
}

/** When the snapshot was last confirmed; `null` when the entry is about another one, or none (P24). */
export function confirmedAtOf(entry: Confirmation | undefined, snapshotId: string): string | null {
  return entry?.snapshotId === snapshotId ? entry.confirmedAt : null;
}
