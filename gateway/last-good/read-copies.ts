import type { TenantId } from "../../core/ids.ts";
import { readManifest } from "../../core/read-manifest.ts";
import { type ReadRegistry, readTokenRegistry, type TokenSink } from "../../core/read-token-registry.ts";
import type { ReadSnapshot } from "../live-snapshot.ts";
import type { LastGood } from "./last-good.ts";

/** The registry whose digest the sealed state names (W77), or `undefined`; throws as a reading does. */
export async function keptRegistry<Sink extends TokenSink>(
  { files }: LastGood,
  sha256: string,
  createSink: () => Sink,
): Promise<ReadRegistry<Sink> | undefined> {
  const body = await files.stream(sha256);
  return body === undefined ? undefined : await readTokenRegistry(body as AsyncIterable<Buffer>, createSink);
}

/** The snapshot that the sealed state names; its manifest proves itself once more (P4). */
export async function keptSnapshot(
  lastGood: LastGood,
  tenantId: TenantId,
): Promise<ReadSnapshot | undefined> {
  const pointer = lastGood.pointer(tenantId);
  if (pointer?.manifest === undefined) return undefined;
  const { generation, snapshotId } = pointer;
  const { sha256: manifestSha256, etag } = pointer.manifest;
  const body = await lastGood.files.stream(manifestSha256);
  if (body === undefined) return undefined;
  const manifest = await readManifest(body, { tenantId, snapshotId, manifestSha256 });
  return { tenantId, generation, manifest, manifestSha256, etag };
}
