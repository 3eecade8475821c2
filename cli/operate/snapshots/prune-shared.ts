import { isSnapshotId } from "../../../core/ids.ts";
import { isObjectKey, runsPrefix } from "../../../core/object-key.ts";
import type { ListedObject } from "../../../core/object-store.ts";
import { DeleteBatch } from "../../publish/snapshot/delete-batch.ts";
import { probesPrefix } from "../../publish/store/probe-objects.ts";
import type { PruneContext } from "./prune-tenant.ts";

export interface SharedPrune {
  readonly deletedObjects: number;
  readonly deletedBytes: number;
}

/** Reports of runs that are kept whatever their age. */
const keptRuns = 100;
/** Older reports than the newest ones go after this time. */
const maxRunAgeDays = 30;
const dayMs = 24 * 3600 * 1000;

/** Deletes reports of runs that are old and not among the newest. */
export async function pruneRuns(context: PruneContext): Promise<SharedPrune> {
  const { store, dryRun, now, signal } = context;
  const oldest = now().getTime() - maxRunAgeDays * dayMs;
  const batch = new DeleteBatch(store, dryRun, signal);
  // Keys come by time, so what falls out of the window has a windowful of newer ones after it.
  const window: ListedObject[] = [];
  for await (const object of store.list(runsPrefix, { signal })) {
    if (!isRunKey(object.key)) continue;
    window.push(object);
    if (window.length > keptRuns) await addIfOld(batch, window.shift(), oldest);
  }
  await batch.flush();
  return batch.deleted;
}

/** Deletes what an interrupted `store check` left behind. */
export async function pruneProbes(minAgeMs: number, context: PruneContext): Promise<SharedPrune> {
  const { store, dryRun, now, signal } = context;
  const batch = new DeleteBatch(store, dryRun, signal);
  const oldest = now().getTime() - minAgeMs;
  for await (const object of store.list(probesPrefix, { signal })) {
    if (probePattern.test(object.key.slice(probesPrefix.length))) await addIfOld(batch, object, oldest);
  }
  await batch.flush();
  return batch.deleted;
}

/** A random folder, a name. */
const probePattern = /^[0-9a-f]{32}\/[^/]+$/;

function isRunKey(key: string): boolean {
  return key.endsWith(".json") && isSnapshotId(key.slice(runsPrefix.length, -".json".length));
}

async function addIfOld(batch: DeleteBatch, object: ListedObject | undefined, oldest: number): Promise<void> {
  if (object === undefined || object.modifiedAt.getTime() > oldest || !isObjectKey(object.key)) return;
  await batch.add(object.key, object.size);
}
