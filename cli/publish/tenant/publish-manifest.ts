import type { Current } from "../../../core/current.ts";
import { type Manifest, manifestText } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { manifestKey } from "../../../core/object-key.ts";
import { commit } from "../snapshot/commit.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import type { Attempt } from "./attempt.ts";

/**
 * Stores the manifest and makes its snapshot live in place of the one that `pointer` names; a hold stays (P9). The snapshot's
 * responses are stored already. Gives the new pointer.
 */
export async function publishManifest(
  { tenantId, context }: Attempt,
  pointer: PointerVersion | undefined,
  manifest: Manifest,
): Promise<Current | "superseded"> {
  const { store, signal } = context;
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  const next: Current = {
    tenantId,
    generation: manifest.generation,
    snapshotId: manifest.snapshotId,
    manifestSha256: body.sha256,
    publishedAt: context.now().toISOString(),
    hold: pointer?.current.hold ?? null,
    nonce: Buffer.from(context.randomBytes(16)).toString("hex"),
  };
  const { kind } = await commit(store, pointer, next);
  return kind === "superseded" ? kind : next;
}
