import { type Current, parseCurrent } from "../../../core/documents/current.ts";
import {
  type Manifest,
  type ResponseEntry,
  readEntry,
  responseEntry,
} from "../../../core/documents/manifest.ts";
import { type ExpectedManifest, readManifest } from "../../../core/documents/read-manifest.ts";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { maxCurrentBytes, maxManifestBytes } from "../../../core/ground/limits.ts";
import {
  currentKey,
  manifestKey,
  type ObjectKey,
  type ResponseName,
} from "../../../core/ground/object-key.ts";
import { bytesBody, piecesOf, readBody } from "../../../core/store/object-body.ts";
import type { ETag, ObjectBody, ObjectStore } from "../../../core/store/object-store.ts";
import { unknownTenant } from "./stored-tenants.ts";

/** The pointer as it was read. A compare-and-swap succeeds only while the stored pointer is the same. */
export interface PointerVersion {
  readonly etag: ETag;
  readonly current: Current;
  /** When it was written, by the store's clock. */
  readonly modifiedAt: Date;
}

/** The tenant's pointer, or `undefined` when nothing was ever published. Throws `corrupt_document`. */
export async function readPointer(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<PointerVersion | undefined> {
  const key = currentKey(tenantId);
  const result = await store.get(key, { signal });
  if (result.kind !== "object") return undefined;
  try {
    const bytes = await readBody(result, maxCurrentBytes, key);
    return { etag: result.etag, current: parseCurrent(bytes, tenantId), modifiedAt: result.modifiedAt };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code !== "corrupt_document") throw error;
    const step = `Remove ${key}, then run \`snapshot build --tenant ${tenantId}\`: gateways go on with what they have until then.`;
    throw new Failure(code, `${message} ${step}`, { cause: error });
  }
}

/** The tenant's pointer. Throws `not_found` when there is none. */
export async function readPublishedPointer(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<PointerVersion> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer !== undefined) return pointer;
  const what = `Nothing is published for tenant ${tenantId}. Check the id, or run \`snapshot build --tenant ${tenantId}\`.`;
  throw await unknownTenant(store, tenantId, what, signal);
}

/** The manifest that the pointer names. Throws `corrupt_document` when it is missing or cannot be trusted. */
export async function readLiveManifest(
  store: ObjectStore,
  pointer: ExpectedManifest,
  signal: AbortSignal,
): Promise<Manifest> {
  const { tenantId, snapshotId } = pointer;
  const result = await store.get(manifestKey(tenantId, snapshotId), { signal, wholeUpTo: maxManifestBytes });
  if (result.kind === "object") return await readManifest(piecesOf(result), pointer);
  throw new Failure("corrupt_document", `Snapshot ${snapshotId} of tenant ${tenantId} has no manifest.json.`);
}

/** What partners of a tenant see. `manifest` is `undefined` when it cannot be trusted. */
export interface LiveSnapshot {
  readonly current: Current;
  readonly manifest: Manifest | undefined;
}

/** The live snapshot: the pointer, and the manifest whose digest it states. */
export interface VouchedSnapshot {
  readonly pointer: PointerVersion;
  readonly manifest: Manifest;
}

/** The live snapshot, `undefined` when nothing was ever published for the tenant. */
export async function publishedSnapshot(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<VouchedSnapshot | undefined> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) return undefined;
  return { pointer, manifest: await readLiveManifest(store, pointer.current, signal) };
}

/** What is live of a tenant. A manifest that a gateway refuses is damaged, though it may begin well (P4). */
export type LiveReading<Content> =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly pointer: PointerVersion; readonly content: Content }
  /** `pointer` is `null` when it is the pointer that is damaged. */
  | { readonly kind: "damaged"; readonly pointer: PointerVersion | null; readonly reason: string };

/** What is live, its manifest read by `read`. Damage is a result: it must not hide the other tenants. */
export async function readLive<Content>(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
  read: (pointer: ExpectedManifest) => Promise<Content>,
): Promise<LiveReading<Content>> {
  let pointer: PointerVersion | undefined;
  try {
    pointer = await readPointer(store, tenantId, signal);
    if (pointer === undefined) return { kind: "none" };
    return { kind: "read", pointer, content: await read(pointer.current) };
  } catch (error) {
    const { code, message } = asFailure(error);
    // A store that is away does hide all tenants.
    if (code !== "corrupt_document") throw error;
    return { kind: "damaged", pointer: pointer ?? null, reason: message };
  }
}

/** A response of a snapshot, and where it is stored. */
export interface StoredResponse {
  readonly name: ResponseName;
  readonly entry: ResponseEntry;
}

/** Every response of the snapshot: the list, the legacy list, the details. */
export function* responsesOf(manifest: Manifest): Generator<StoredResponse> {
  yield { name: { kind: "list" }, entry: manifest.list };
  yield { name: { kind: "legacy" }, entry: manifest.legacy };
  for (const programId of manifest.programs.ids()) {
    const name: ResponseName = { kind: "detail", programId };
    const entry = responseEntry(manifest, name);
    if (entry !== undefined) yield { name, entry };
  }
}

/**
 * The bytes of a response as partners get them. Throws `corrupt_document` when they are missing or are not
 * what the manifest vouches for: the gateway would answer 500 instead of them.
 */
export async function responseBytes(
  store: ObjectStore,
  entry: ResponseEntry,
  signal: AbortSignal,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(entry.size);
  let isFound = false;
  const get: ObjectStore["get"] = async (...call) => {
    const found = await store.get(...call);
    isFound = true;
    return found;
  };
  const read = (): Promise<string | undefined> => {
    let at = 0;
    return readEntry({ get }, entry, signal, (piece) => {
      at += piece.copy(bytes, at);
    });
  };
  // P199: a list may be too large to be held twice, so it is read into the same bytes again.
  const fault = await read().catch((error: unknown) => {
    if (!isFound || asFailure(error).code !== "store_unavailable") throw error;
    return read();
  });
  if (fault !== undefined) throw damaged(`${entry.key}: ${fault}`);
  return bytes;
}

/**
 * Stores an object that never changes. A refusal means that the key is taken. That is fine if it holds these
 * bytes, since the reply to an earlier attempt may have been lost.
 */
export async function putImmutable(
  store: ObjectStore,
  key: ObjectKey,
  body: ObjectBody,
  signal: AbortSignal,
): Promise<void> {
  const result = await store.put(key, body, { condition: { kind: "absent" }, signal });
  if (result.kind === "stored") return;
  const { sha256, size } = body;
  const difference = await readEntry(store, { key, sha256, size }, signal, () => {});
  if (difference === undefined) return;
  throw new Failure("store_unavailable", `The key ${key} is taken by other content; run the build again.`);
}

/** The value under the key `data` of a list or detail response. */
export function dataOf(response: Buffer, key: string): unknown {
  try {
    const document: unknown = JSON.parse(response.toString("utf8"));
    if (typeof document === "object" && document !== null && "data" in document) return document.data;
  } catch (error) {
    throw new Failure("corrupt_document", `${key} is not JSON.`, { cause: error });
  }
  throw damaged(`${key} has no "data"`);
}

function damaged(what: string): Failure {
  return new Failure(
    "corrupt_document",
    `${what}. Partners get 500 for it; \`snapshot verify\` names all such objects, and \`snapshot rollback\` makes an earlier snapshot live.`,
  );
}

/** The body of a text made piece by piece. As one string, a large text would take several times its room. */
export function textBody(pieces: Iterable<string>): ObjectBody {
  const chunks: Buffer[] = [];
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength) continue;
    chunks.push(Buffer.from(text));
    text = "";
  }
  return bytesBody(Buffer.concat([...chunks, Buffer.from(text)]));
}

const chunkLength = 64 * 1024;
