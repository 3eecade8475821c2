import { detailEntry, type Manifest, type ResponseEntry } from "../../../core/documents/manifest.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { didYouMean } from "../../output/words.ts";
import { readLiveManifest, readPublishedPointer } from "../../publish/snapshot/stored-snapshot.ts";
import { readStoredManifest } from "./manifest-head.ts";

/** The snapshot of that id, or the live one, which comes with it; throws `not_found`. */
export async function chosenSnapshot(
  store: ObjectStore,
  tenantId: TenantId,
  chosen: SnapshotId | undefined,
  signal: AbortSignal,
) {
  const pointer = await readPublishedPointer(store, tenantId, signal);
  const live = { pointer, manifest: await readLiveManifest(store, pointer.current, signal) };
  if (chosen === undefined || chosen === pointer.current.snapshotId) {
    return { manifest: live.manifest, isLive: true, live };
  }
  const stored = await readStoredManifest(store, tenantId, chosen, signal);
  if (stored !== undefined) return { manifest: stored.manifest, isLive: false, live };
  throw new Failure(
    "not_found",
    `Tenant ${tenantId} has no snapshot ${chosen}; it may have been pruned. \`snapshot list --tenant ${tenantId}\` shows what is there.`,
  );
}

/** The program in the snapshot; throws `not_found`, which names the nearest one. */
export function programEntry(manifest: Manifest, programId: ProgramId): ResponseEntry {
  const entry = detailEntry(manifest, programId);
  if (entry !== undefined) return entry;
  const { tenantId, snapshotId } = manifest;
  throw new Failure(
    "not_found",
    `Snapshot ${snapshotId} of tenant ${tenantId} has no program ${programId}: partners get 404. ` +
      `Ask why: \`snapshot explain --tenant ${tenantId} --program ${programId}\`.` +
      didYouMean(programId, manifest.programs.ids()),
  );
}
