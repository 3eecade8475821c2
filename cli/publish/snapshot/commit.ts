import { setTimeout as delay } from "node:timers/promises";
import { type Current, currentBytes } from "../../../core/documents/current.ts";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import { currentKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore, PutCondition } from "../../../core/store/object-store.ts";
import { type PointerVersion, readLiveManifest, readPointer } from "./stored-snapshot.ts";

/**
 * P3: a generation only rises, also when a tenant begins anew or its pointer was lost, so that gateways take
 * no newer snapshot for an older one. The clock makes it so without a record of earlier ones.
 */
export function nextGeneration(current: Pick<Current, "generation"> | undefined, now: Date): number {
  return Math.max((current?.generation ?? 0) + 1, now.getTime());
}

export type Replacement =
  | { readonly kind: "replaced" }
  /** The pointer is neither the one that was read nor `next`. */
  | { readonly kind: "overtaken"; readonly found: PointerVersion | undefined };

/**
 * Makes `next` the tenant's pointer if the pointer is still `parent` (`undefined`: there was none). This one
 * write makes a snapshot visible, and nothing else does (P1, P2). Also `live` when another process has built
 * on `next` or rewritten it since. `superseded`: another process changed the pointer after it was read, so
 * the work starts again from a new reading.
 */
export async function commit(
  store: ObjectStore,
  parent: PointerVersion | undefined,
  next: Current,
): Promise<"live" | "superseded"> {
  const result = await replacePointer(store, parent, next);
  if (result.kind === "replaced") return "live";
  const isLive = result.found !== undefined && (await isDescendant(store, result.found.current, next));
  return isLive ? "live" : "superseded";
}

/**
 * P8: the compare-and-swap itself. An unclear answer (a refusal, which may be our own lost write; 5xx; a
 * timeout) is settled by reading the pointer back. Repeating the same bytes under the same condition is
 * harmless: at most one attempt applies, even late, since the nonce keeps two pointers from having one ETag.
 * No signal ends the write, since an interrupted write would leave its outcome unknown.
 */
export async function replacePointer(
  store: ObjectStore,
  parent: PointerVersion | undefined,
  next: Current,
): Promise<Replacement> {
  const key = currentKey(next.tenantId);
  const body = bytesBody(currentBytes(next));
  const condition: PutCondition =
    parent === undefined ? { kind: "absent" } : { kind: "match", etag: parent.etag };
  for (let attempt = 1; ; attempt += 1) {
    let unclear: Failure | undefined;
    try {
      const result = await store.put(key, body, { condition });
      if (result.kind === "stored") return { kind: "replaced" };
    } catch (error) {
      unclear = asFailure(error);
      // Any other failure is an answer: the store did nothing.
      if (unclear.code !== "store_unavailable") throw unclear;
    }
    const found = await readPointer(store, next.tenantId, never).catch((error: unknown) => {
      throw outcomeUnknown(next, asFailure(error));
    });
    if (found?.current.nonce === next.nonce) return { kind: "replaced" };
    if (found?.etag !== parent?.etag) return { kind: "overtaken", found };
    if (attempt < maxAttempts) {
      // P198: a store in trouble for a second fails no publication.
      await delay(attempt * (200 + Math.random() * 200));
      continue;
    }
    if (unclear !== undefined) throw outcomeUnknown(next, unclear);
    throw new Failure(
      "store_unavailable",
      `The store refused ${maxAttempts} times to replace ${key} though it is as it was read. ` +
        "Nothing was published; try again, and run `store check` if it stays so.",
    );
  }
}

const maxAttempts = 3;
const never = new AbortController().signal;

/**
 * Whether `found` was made from `ours`: by a prune or release that rewrote it, or by builds on it. False for
 * chains with a rollback or a `--rewrite`, where starting again is right as well.
 */
async function isDescendant(store: ObjectStore, found: Current, ours: Current): Promise<boolean> {
  // Only a rollback makes a hold, so a `found` with a hold that `ours` lacks is older or comes from a
  // rollback. A release keeps the snapshot: a withdrawal during the hold (P20) was built on the pointer
  // before the release.
  if (found.hold !== null && found.hold.since !== ours.hold?.since) return false;
  // A prune gives the pointer a new nonce, a release also takes its hold; neither changes anything else.
  const { generation, snapshotId, publishedAt } = ours;
  if (found.generation === generation && found.snapshotId === snapshotId && found.publishedAt === publishedAt)
    return true;
  // Only what was live is built on.
  const manifest = await readLiveManifest(store, found, never).catch(() => undefined);
  if (manifest === undefined || manifest.generation <= generation) return false;
  return [manifest.parent, ...(manifest.ancestors ?? [])].includes(snapshotId);
}

function outcomeUnknown({ tenantId, snapshotId }: Current, cause: Failure): Failure {
  return new Failure(
    cause.code,
    `Whether snapshot ${snapshotId} of tenant ${tenantId} became live is not known (${cause.message.replace(/\.$/, "")}). ` +
      "Either way partners see a complete snapshot; run the command again when the store answers.",
    { cause },
  );
}
