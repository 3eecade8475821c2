import { forEachBounded } from "../../../core/bounded-work.ts";
import { Failure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { faultText, readEntry } from "../../../core/read-entry.ts";
import { entriesOf } from "./stored-manifest.ts";

/** Objects read side by side; of each only a piece is in memory. */
const maxParallelReads = 16;
const maxShown = 5;

/**
 * Throws `corrupt_document`, naming the first objects that are missing or not what the manifest says, unless the snapshot
 * is there as a whole. The content is not judged: an older version may have published by an older schema.
 */
export async function assertComplete(
  store: ObjectStore,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<void> {
  let faults = 0;
  const shown: string[] = [];
  await forEachBounded(entriesOf(manifest), maxParallelReads, async (entry) => {
    const fault = await readEntry(store, entry, signal, () => {});
    if (fault === undefined) return;
    faults += 1;
    if (shown.length < maxShown) shown.push(`${entry.key}: ${faultText(entry, fault)}`);
  });
  if (faults === 0) return;
  const more = faults > shown.length ? [`... and ${faults - shown.length} more`] : [];
  throw new Failure("corrupt_document", [
    `Snapshot ${manifest.snapshotId} of tenant ${manifest.tenantId} is not complete:`,
    ...[...shown, ...more].map((line) => `  ${line}`),
  ]);
}
