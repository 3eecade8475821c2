import type { Readable } from "node:stream";
import type { ObjectKey } from "../ground/object-key.ts";

/** A driver takes so many calls at once, each until its body was read. Others may wait in order. */
export const maxCallsAtOnce = 512;

/** An opaque version of an object's content: equal tags, equal content. Compared whole, never parsed. */
export type ETag = string;

/** Bytes to store. They must not change before the put has settled. */
export interface ObjectBody {
  readonly bytes: Buffer;
  readonly size: number;
  /** In lower-case hex. */
  readonly sha256: string;
}

/** `absent`: store only if there is no object of that name; `match`: only if it still has this tag. */
export type PutCondition = { readonly kind: "absent" } | { readonly kind: "match"; readonly etag: ETag };

export type PutResult =
  | { readonly kind: "stored"; readonly etag: ETag }
  /** The condition did not hold. After a lost reply or a repeat, the store may have seen our own write. */
  | { readonly kind: "refused" };

/** An object that was found. */
export type StoredObject = Extract<GetResult, { kind: "object" }>;

export type GetResult =
  | {
      readonly kind: "object";
      readonly etag: ETag;
      /** The body's size, as the store announced it. */
      readonly size: number;
      readonly modifiedAt: Date;
      /** The caller reads it to its end or destroys it. It fails with a `Failure` if it ends early. */
      readonly body: Readable;
      /**
       * There for large bodies on this machine, which read the same again under the same tag. (Over a
       * network, every read may be damaged.) It gives the bytes without `body`, all chunks in the same
       * memory, which is used again when `take` has resolved. So a body that is passed on leaves no garbage.
       */
      readonly forEachChunk?: undefined | ((take: (chunk: Buffer) => Promise<void>) => Promise<void>);
      /** All bytes of a small body, read before `get` resolves. Such a `body` need not be read. */
      readonly whole?: Buffer;
      /** The SHA-256 of `whole` in hex where the driver knows it, so that nobody hashes it again. */
      readonly wholeSha256?: string | undefined;
    }
  | { readonly kind: "not_modified" }
  | { readonly kind: "missing" };

/** `missing`: there is no object to copy, and nothing was changed. */
export type CopyResult = { readonly kind: "copied" } | { readonly kind: "missing" };

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The port to the object store. Every driver passes one contract suite.
 *
 * - A put is atomic and durable. Once it has resolved, every later get of any process sees the whole new
 *   body, also after a crash. Before that, a get sees the whole old body. A put that rejects may or may not
 *   have happened.
 * - The store decides conditional puts, also between processes: of several puts with the same condition at
 *   most one is stored.
 * - Failures are `Failure`s: `store_unavailable` (may work later), `store_denied` (permissions),
 *   `store_unsupported`, `settings` (a wrong region), `usage` (a key that `isObjectKey` refuses),
 *   `corrupt_document` (something else than an object has the name, such as a link in a folder),
 *   `interrupted` (by the signal). A driver repeats calls where that is safe.
 */
export interface ObjectStore {
  /** The store's address without secrets, for messages. */
  readonly address: string;

  get(
    key: ObjectKey,
    options?: CallOptions & {
      readonly ifNoneMatch?: ETag | undefined;
      /** A body of at most so many bytes is `whole` over a network too, and read again if cut off. */
      readonly wholeUpTo?: number;
    },
  ): Promise<GetResult>;

  put(
    key: ObjectKey,
    body: ObjectBody,
    options?: CallOptions & { readonly condition?: PutCondition | undefined },
  ): Promise<PutResult>;

  /**
   * Makes `to` a copy of `from`, and replaces what `to` named before. The bytes do not pass through this
   * process. A copy is atomic like a put. No call to the store changes one of the two by the other. In a
   * folder both may be names of one file, which is read-only from then on; and a copy is **not durable**: it
   * may be missing or empty after a power cut.
   */
  copy(from: ObjectKey, to: ObjectKey, options?: CallOptions): Promise<CopyResult>;

  /**
   * The objects whose key begins with `prefix` and sorts after `after`, in the order of their keys by code
   * unit. They are read page by page, so memory is bounded. Objects written meanwhile may be listed or not.
   */
  list(
    prefix: string,
    options?: CallOptions & { readonly after?: string | undefined },
  ): AsyncIterable<ListedObject>;

  /**
   * The distinct folders right below `prefix` (empty, or ending in `/`) that hold an object at any depth: `a`
   * for `tenants/a/current.json` below `tenants/`. One call per page of folders, not of objects.
   */
  listFolders(prefix: string, options?: CallOptions): AsyncIterable<string>;

  /** Deletes the objects. An object that does not exist counts as deleted. */
  delete(keys: readonly ObjectKey[], options?: CallOptions): Promise<void>;

  /**
   * Removes hidden leftovers below `prefix` (empty, or ending in `/`), which killed processes left beside the
   * objects of a folder. A bucket has none.
   */
  tidy(prefix: string, options?: CallOptions): Promise<void>;

  close(): Promise<void>;
}
