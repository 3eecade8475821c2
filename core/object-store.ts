import type { Readable } from "node:stream";
import type { ObjectKey } from "./object-key.ts";

/** An opaque version of an object's content; equal tags mean equal content. Compared as a whole, never parsed. */
export type ETag = string;

/** Bytes to store. Nobody changes them before the put has settled. */
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
  /** The condition did not hold *when the store answered*: after a lost reply it may be our own write that it saw. */
  | { readonly kind: "refused" };

export type GetResult =
  | {
      readonly kind: "object";
      readonly etag: ETag;
      /** Bytes of the body as announced by the store. */
      readonly size: number;
      readonly modifiedAt: Date;
      /**
       * Whether the bytes lie on this machine: what was read whole once under this tag reads the same again. Over a
       * network every reading may be damaged on its way.
       */
      readonly isLocal: boolean;
      /** Must be read to its end or destroyed. Fails with a `Failure` when it ends early or stalls. */
      readonly body: Readable;
      /**
       * Some drivers', for large bodies: hands over the bytes without `body`, each chunk in the same memory, which is
       * used again when `take` has resolved. So a body that goes straight out leaves no garbage behind.
       */
      readonly forEachChunk?: (take: (chunk: Buffer) => Promise<void>) => Promise<void>;
      /**
       * Some drivers', for small bodies: the bytes all at once without `body`, which costs more than reading them. Such a
       * body needs no reader, and the call's signal ends it until it is complete. Fails as `body` does.
       */
      readonly whole?: () => Promise<Buffer>;
    }
  | { readonly kind: "not_modified" }
  | { readonly kind: "missing" };

/** `missing`: there is no object to copy, and nothing was done. */
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
 * - A put is atomic and durable: once it resolves, every later get of any process sees the whole new body,
 *   also after a crash; before, the whole old one. When it rejects, it may or may not have happened.
 * - A conditional put is decided by the store, also between processes: of several puts with the same condition
 *   at most one is stored.
 * - Failures are `Failure`s: `store_unavailable` (may work later), `store_denied` (permissions),
 *   `store_unsupported`, `settings` (a wrong region), `usage` (a key that `isObjectKey` refuses), `corrupt_document`
 *   (what lies there is no object, such as a link in a folder), `interrupted` (by the signal). A driver retries by itself what is safe to retry.
 */
export interface ObjectStore {
  /** For messages: the store's address without secrets. */
  readonly address: string;

  get(
    key: ObjectKey,
    options?: CallOptions & { readonly ifNoneMatch?: ETag | undefined },
  ): Promise<GetResult>;

  put(
    key: ObjectKey,
    body: ObjectBody,
    options?: CallOptions & { readonly condition?: PutCondition | undefined },
  ): Promise<PutResult>;

  /**
   * Makes `to` a copy of `from`, another key, over whatever it named; the bytes do not pass through this process.
   * Atomic like a put. From now on either changes without the other, also where somebody edits the stored file.
   * In a folder a copy is **not durable**: after a power cut (not: after a crash of this process) it may be empty.
   */
  copy(from: ObjectKey, to: ObjectKey, options?: CallOptions): Promise<CopyResult>;

  /**
   * The objects whose key begins with `prefix` and sorts after `after`, by code unit of the key. Fetched page
   * by page, so memory is bounded however many there are; objects written meanwhile may or may not be seen.
   */
  list(
    prefix: string,
    options?: CallOptions & { readonly after?: string | undefined },
  ): AsyncIterable<ListedObject>;

  /**
   * The distinct folders right below `prefix` (empty, or ending in `/`) that hold an object at any depth: `a` for
   * `tenants/a/current.json` below `tenants/`. One call per page of folders, not of objects.
   */
  listFolders(prefix: string, options?: CallOptions): AsyncIterable<string>;

  /** Deletes the objects; one that does not exist counts as deleted. */
  delete(keys: readonly ObjectKey[], options?: CallOptions): Promise<void>;

  /**
   * Removes below `prefix` (empty, or ending in `/`) what no listing shows: what killed processes and earlier releases left beside
   * the objects of a folder. In a bucket there is nothing of the kind.
   */
  tidy(prefix: string, options?: CallOptions): Promise<void>;

  close(): Promise<void>;
}
