import { createHash } from "node:crypto";
import type { TenantId } from "../../core/ids.ts";
import { joinedPieces } from "../../core/object-body.ts";
import { tokensKey } from "../../core/object-key.ts";
import { readManifest } from "../../core/read-manifest.ts";
import { maxRegistryBytes, parseTokenRegistry, type TokenRegistry } from "../../core/token-registry.ts";
import type { ReadSnapshot } from "../live-snapshot.ts";
import type { LastGood } from "./last-good.ts";

/** A body that is copied while it is read, so that it can be kept once its reader has accepted it. */
export interface CopiedBody {
  readonly body: AsyncIterable<Buffer>;
  /** The bytes read so far, and their digest. */
  whole(): { readonly sha256: string; readonly pieces: readonly Buffer[] };
}

export function copiedBody(body: AsyncIterable<Buffer>): CopiedBody {
  const pieces: Buffer[] = [];
  const hash = createHash("sha256");
  async function* passed(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      pieces.push(piece);
      hash.update(piece);
      yield piece;
    }
  }
  return { body: passed(), whole: () => ({ sha256: hash.digest("hex"), pieces }) };
}

/** The copy of the registry whose digest the sealed state names (W77), or `undefined`. Throws when it is damaged. */
export async function keptRegistry({ files }: LastGood, sha256: string): Promise<TokenRegistry | undefined> {
  const body = await files.stream(sha256);
  if (body === undefined) return undefined;
  return await parseTokenRegistry(await joinedPieces(body, maxRegistryBytes, tokensKey));
}

/** The snapshot that the sealed state names. Its manifest is checked again (P4). */
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
