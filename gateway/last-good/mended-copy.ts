import type { TenantId } from "../../core/ids.ts";
import { readBody, sha256Hex } from "../../core/object-body.ts";
import { manifestKey, type ObjectKey, tokensKey } from "../../core/object-key.ts";
import { maxRegistryBytes } from "../../core/token-registry.ts";
import { withCallDeadline } from "../deadline.ts";
import type { StoreReader } from "../store-reader.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { KeptPointer, KeptRegistry } from "./kept-state.ts";

/** The registry and the pointers that this gateway has confirmed. Ages are given as of now. */
export interface Confirmed {
  readonly registry: KeptRegistry | undefined;
  readonly tenants: Iterable<readonly [TenantId, KeptPointer]>;
}

/** A body in memory; `bytes` is `undefined` when only its gzip form is in memory. */
export interface HeldBody {
  readonly sha256: string;
  readonly bytes: Buffer | undefined;
}

export interface MendOptions {
  readonly store: StoreReader;
  readonly timeoutMs: number;
  readonly files: Pick<KeptFiles, "has" | "write" | "bytes">;
  /** Digests of documents that are about to be written. */
  readonly unwritten: ReadonlySet<string>;
  readonly maxBytes: number;
}

/**
 * W101: writes what is confirmed but missing from the folder. Documents are read from the store again; bodies are taken from
 * memory. Resolves to false when the store did not give all documents. Throws when the folder does not take them.
 */
export async function mendCopy(
  { registry, tenants }: Confirmed,
  held: readonly HeldBody[],
  { store, timeoutMs, files, unwritten, maxBytes }: MendOptions,
): Promise<boolean> {
  const isMissing = (sha256: string): boolean => !files.has(sha256) && !unwritten.has(sha256);
  const documents: (readonly [string, ObjectKey])[] = [];
  if (registry !== undefined) documents.push([registry.sha256, tokensKey]);
  for (const [tenantId, { snapshotId, manifest }] of tenants) {
    if (manifest !== undefined) documents.push([manifest.sha256, manifestKey(tenantId, snapshotId)]);
  }
  for (const [sha256, key] of documents.filter(([digest]) => isMissing(digest))) {
    let bytes: Buffer | undefined;
    try {
      bytes = await readDocument(store, key, timeoutMs);
    } catch {
      return false;
    }
    // The store may have a newer document by now. It will be kept when it is confirmed.
    if (bytes !== undefined && sha256Hex(bytes) === sha256) await files.write(sha256, bytes.length, [bytes]);
  }
  for (const { sha256, bytes } of held) {
    if (bytes === undefined || !isMissing(sha256)) continue;
    // Bodies must not push out files that are there.
    if (files.bytes() + bytes.length > maxBytes * 0.9) break;
    await files.write(sha256, bytes.length, [bytes]);
  }
  return true;
}

async function readDocument(
  store: StoreReader,
  key: ObjectKey,
  timeoutMs: number,
): Promise<Buffer | undefined> {
  return await withCallDeadline(timeoutMs, `Reading ${key}`, async (signal) => {
    const found = await store.get(key, { signal });
    return found.kind === "object" ? await readBody(found, maxDocumentBytes, key) : undefined;
  });
}

/** The bound of the registry is enough for a manifest, too. */
const maxDocumentBytes = maxRegistryBytes;
