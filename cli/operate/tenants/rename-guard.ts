import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { collapse } from "../../publish/snapshot/collapse.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";

/**
 * P121: a mistyped id is another company's. Throws `shrink_guard` when the other tenant's snapshot has so little of what the
 * tenant's partners see that it can hardly be the same company's.
 */
export async function assertAlike(
  store: ObjectStore,
  tenantId: TenantId,
  other: Manifest,
  signal: AbortSignal,
): Promise<void> {
  const live = await readSeen(store, tenantId, signal);
  if (live?.programs.count === 0) return;
  const found = collapse(live, other);
  if (found === undefined) return;
  const { seen, lost } = found;
  const { count } = other.programs;
  const now =
    seen === undefined ? "" : `; partners of ${tenantId} see ${seen} now, ${lost} of which it lacks`;
  throw new Failure(
    "shrink_guard",
    `Tenant ${other.tenantId} has ${count} ${count === 1 ? "program" : "programs"}${now}. No token was moved. ` +
      "If it is the same company, and this is what its partners are to see, pass --allow-shrink.",
  );
}

/** `undefined` where partners see nothing that could be compared: errors. */
async function readSeen(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  try {
    const pointer = await readPointer(store, tenantId, signal);
    return pointer && (await readLiveManifest(store, pointer.current, signal));
  } catch (error) {
    if (asFailure(error).code !== "corrupt_document") throw error;
    return undefined;
  }
}
