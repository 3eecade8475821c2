import { confirmedAtOf } from "../../../core/confirmations.ts";
import { asFailure } from "../../../core/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type ProgramHistory, programHistory } from "../../snapshot/program-history.ts";
import { snapshotHistory } from "../../snapshot/snapshot-history.ts";
import { dataOf, responseBytes } from "../../snapshot/stored-response.ts";
import { publishedSnapshot } from "../../snapshot/stored-snapshot.ts";
import { readConfirmed } from "../read-confirmed.ts";

/** What partners get of a program now. */
export type ProgramInStore =
  /** Nothing was ever published for the tenant. */
  | { readonly kind: "unpublished" }
  /** The tenant's pointer, its manifest or the program's own file cannot be trusted. */
  | { readonly kind: "damaged"; readonly reason: string }
  | {
      readonly kind: "live";
      readonly snapshotId: SnapshotId;
      /** When the source was read, when that was made live, and when it was last found to be what the source says. */
      readonly generatedAt: string;
      readonly publishedAt: string;
      readonly confirmedAt: string | null;
      readonly hold: { readonly reason: string; readonly since: string } | null;
      readonly programs: number;
      /** `null`: the live snapshot does not have the program. */
      readonly served: { readonly document: unknown; readonly sha256: string; readonly key: string } | null;
      readonly history: ProgramHistory;
    };

/** Looks into the store; throws only when the store itself cannot be asked. */
export async function readProgramInStore(
  store: ObjectStore,
  tenantId: TenantId,
  programId: string,
  signal: AbortSignal,
): Promise<ProgramInStore> {
  try {
    const live = await publishedSnapshot(store, tenantId, signal);
    if (live === undefined) return { kind: "unpublished" };
    const { manifest, pointer } = live;
    const entry = detailEntry(manifest, programId);
    const bytes = entry && (await responseBytes(store, entry, signal));
    const { confirmations } = await readConfirmed(store, signal);
    return {
      kind: "live",
      snapshotId: manifest.snapshotId,
      generatedAt: manifest.generatedAt,
      publishedAt: pointer.current.publishedAt,
      confirmedAt: confirmedAtOf(confirmations.get(tenantId), manifest.snapshotId),
      hold: pointer.current.hold,
      programs: manifest.programs.count,
      served:
        entry && bytes ? { document: dataOf(bytes, entry.key), sha256: entry.sha256, key: entry.key } : null,
      history: programHistory(await snapshotHistory(store, live, signal), manifest, programId),
    };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code === "corrupt_document") return { kind: "damaged", reason: message };
    throw error;
  }
}
