import type { Current } from "../../../core/current.ts";
import { type Manifest, manifestText } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { manifestKey } from "../../../core/object-key.ts";
import { commit } from "../snapshot/commit.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import type { Attempt } from "./attempt.ts";

/** Stores the manifest and makes its snapshot live; a hold stays (P9). Its responses are stored already. */
export async function publishManifest(
  { tenantId, context, record, pointer }: Attempt,
  manifest: Manifest,
): Promise<"published" | "superseded"> {
  const { store, signal } = context;
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  record.bytesWritten += body.size;
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
  if (kind === "superseded") return "superseded";
  record.after = next;
  record.livePrograms = manifest.programs.count;
  return "published";
}
