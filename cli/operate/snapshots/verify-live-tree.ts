import { forEachBounded } from "../../../core/bounded-work.ts";
import type { Current } from "../../../core/current.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { isObjectKey, liveMarkerKey, livePrefix } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readEntry } from "../../../core/read-entry.ts";
import { isInLiveTree, liveFiles } from "../../publish/live-copy/live-files.ts";
import { type LiveMarker, readLiveMarker } from "../../publish/live-copy/live-marker.ts";
import type { FindingLog } from "./verification.ts";

/** Files read side by side, piece by piece. */
const maxParallelReads = 16;

/**
 * P29: checks the tree for people against the live snapshot: its marker, the digest of each file, and foreign files. A tree that
 * is not wanted (`isWanted`) is checked if it exists.
 */
export async function verifyLiveTree(
  store: ObjectStore,
  current: Current,
  manifest: Manifest,
  isWanted: boolean,
  log: FindingLog,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId } = current;
  const markerKey = liveMarkerKey(tenantId);
  const reading = readLiveMarker(store, tenantId, signal);
  const marker = await log.readable("live_file_damaged", markerKey, reading);
  if (marker === "damaged" || (marker === "missing" && !isWanted)) return;
  const fault = markerFault(marker, current);
  // The files need no check, since the next build writes all of them anew.
  if (fault !== undefined) return log.add("live_tree_outdated", markerKey, fault);
  await forEachBounded(liveFiles(manifest), maxParallelReads, async ({ key, entry }) => {
    const copy = { ...entry, key };
    const reading = readEntry(store, copy, signal, () => {});
    const found = await log.readable("live_file_damaged", key, reading);
    if (found !== undefined && found !== "damaged") log.add("live_file_damaged", key, found);
  });
  await log.readable("live_file_foreign", livePrefix(tenantId), findForeign(store, manifest, log, signal));
}

async function findForeign(
  store: ObjectStore,
  manifest: Manifest,
  log: FindingLog,
  signal: AbortSignal,
): Promise<void> {
  for await (const { key } of store.list(livePrefix(manifest.tenantId), { signal })) {
    if (isInLiveTree(manifest, key)) continue;
    const how = isObjectKey(key) ? "" : "; no build can delete a file of this name, so delete it yourself";
    log.add("live_file_foreign", key, `it belongs to no program of the live snapshot${how}`);
  }
}

function markerFault(marker: LiveMarker | "missing" | "foreign", live: Current): string | undefined {
  if (marker === "missing") return "it is missing, so nobody knows what the folder shows";
  if (marker === "foreign") return "its first lines do not say what the folder shows";
  if (!marker.isComplete) return "the folder is being changed, or whoever changed it was ended";
  if (marker.snapshotId === live.snapshotId && marker.manifestSha256 === live.manifestSha256)
    return undefined;
  return `the folder shows snapshot ${marker.snapshotId}, and ${live.snapshotId} is live`;
}
