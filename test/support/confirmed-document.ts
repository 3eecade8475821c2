import {
  type Confirmation,
  confirmationsBytes,
  readConfirmations,
} from "../../core/documents/confirmations.ts";
import { parseTenantId, type SnapshotId } from "../../core/ground/ids.ts";
import { confirmedKey } from "../../core/ground/object-key.ts";
import { bytesBody } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

/** What `runs/confirmed.json` says of each tenant; `undefined` when there is none. */
export async function storedConfirmations(
  store: ObjectStore,
): Promise<Readonly<Record<string, Confirmation>> | undefined> {
  const found = await store.get(confirmedKey);
  if (found.kind !== "object") return undefined;
  return Object.fromEntries(await readConfirmations(found.body));
}

/** Writes the document as a build would that confirmed these snapshots. */
export async function storeConfirmations(
  store: ObjectStore,
  confirmed: Readonly<Record<string, { readonly snapshotId: SnapshotId; readonly confirmedAt: string }>>,
): Promise<void> {
  const entries = Object.entries(confirmed).map(
    ([tenantId, { snapshotId, confirmedAt }]) =>
      [
        parseTenantId(tenantId),
        { snapshotId, confirmedAt, triedAt: confirmedAt, outcome: "unchanged" },
      ] as const,
  );
  await store.put(confirmedKey, bytesBody(confirmationsBytes(new Map(entries))));
}
