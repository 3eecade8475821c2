import { readdir, rm, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { Readable } from "node:stream";
import { Failure } from "../failure.ts";
import { isObjectKey, type ObjectKey } from "../object-key.ts";
import type { ETag, GetResult, ObjectBody, ObjectStore, PutResult } from "../object-store.ts";
import { createDurableFiles, type TemporaryFile } from "./durable-files.ts";
import { isErrno } from "./errno.ts";
import { listFiles, listFolders } from "./list-files.ts";
import { readThrough } from "./read-through.ts";
import {
  type OpenVersion,
  openCurrentVersion,
  successorOf,
  successorPath,
  successorPrefix,
} from "./version-tag.ts";

/**
 * The object store in a folder: one file per object, named like its key. For one machine and any number of
 * processes on it; needs a file system with hard links (every usual local one).
 *
 * Conditional writes take no lock, so a killed or frozen process never blocks another:
 * - *put if absent* is `link(2)`, which fails if the name exists.
 * - *put if match* of version E claims E's successor with `link(2)` on a name made of E's tag, which exactly one
 *   process can ever do, then renames over the object. Readers follow such links, see `openCurrentVersion`; so a
 *   late rename that brings an older version back to the front is harmless. The links are removed after a day:
 *   no process may take longer than that between reading an object and replacing it.
 */
export function createFileStore(options: { readonly directory: string }): ObjectStore {
  const root = options.directory;
  const files = createDurableFiles(root);
  const pathOf = (key: string): string => join(root, checkedKey(key));

  async function putIfMatch(path: string, body: ObjectBody, expected: ETag): Promise<PutResult> {
    const current = await openCurrentVersion(path);
    await current?.handle.close();
    if (current?.etag !== expected) return { kind: "refused" };
    const temporary = await writeUnusedVersion(path, body);
    try {
      if (!(await files.linkNew(temporary.path, successorPath(path, expected)))) return { kind: "refused" };
      await files.replace(temporary.path, path);
      await files.sweep(dirname(path), successorPrefix(basename(path)));
      return { kind: "stored", etag: temporary.etag };
    } finally {
      await rm(temporary.path, { force: true });
    }
  }

  async function putIfAbsent(path: string, body: ObjectBody): Promise<PutResult> {
    const temporary = await files.writeTemporary(body);
    try {
      const stored = await files.linkNew(temporary.path, path);
      return stored ? { kind: "stored", etag: temporary.etag } : { kind: "refused" };
    } finally {
      await rm(temporary.path, { force: true });
    }
  }

  async function putAlways(path: string, body: ObjectBody): Promise<PutResult> {
    const temporary = await writeUnusedVersion(path, body);
    await files.replace(temporary.path, path);
    return { kind: "stored", etag: temporary.etag };
  }

  /**
   * A version whose tag no successor link names. The tag holds inode, time and content; a file system that reuses
   * the inode of a version replaced within the same clock tick by the same content could repeat it.
   */
  async function writeUnusedVersion(path: string, body: ObjectBody): Promise<TemporaryFile> {
    const temporary = await files.writeTemporary(body);
    const taken = await openCurrentVersion(successorPath(path, temporary.etag));
    if (taken === undefined) return temporary;
    await taken.handle.close();
    try {
      return await writeUnusedVersion(path, body);
    } finally {
      await rm(temporary.path, { force: true });
    }
  }

  return {
    address: `file:${root}`,

    async get(key, options) {
      const path = pathOf(key);
      return translated(key, async () => {
        options?.signal?.throwIfAborted();
        const version = await openCurrentVersion(path);
        if (version === undefined) return { kind: "missing" };
        if (version.etag === options?.ifNoneMatch) {
          await version.handle.close();
          return { kind: "not_modified" };
        }
        const { etag, size, modifiedAt } = version;
        const object = { kind: "object", etag, size, modifiedAt, isLocal: true } as const;
        return { ...object, ...(await contentOf(key, version)) } satisfies GetResult;
      });
    },

    async put(key, body, options) {
      const path = pathOf(key);
      return translated(key, async () => {
        options?.signal?.throwIfAborted();
        switch (options?.condition?.kind) {
          case "match":
            return putIfMatch(path, body, options.condition.etag);
          case "absent":
            return putIfAbsent(path, body);
          case undefined:
            return putAlways(path, body);
        }
      });
    },

    list: (prefix, options) =>
      translatedListing(prefix, options?.signal, listFiles(root, prefix, options?.after ?? "")),

    listFolders: (prefix, options) => translatedListing(prefix, options?.signal, listFolders(root, prefix)),

    async delete(keys, options) {
      // All keys are looked at before the first object goes.
      const files = keys.map((key) => ({ key, path: pathOf(key) }));
      const emptied = new Map<string, Set<string>>();
      for (const { key, path } of files) {
        await translated(key, () => {
          options?.signal?.throwIfAborted();
          return removeFile(path);
        });
        const folder = dirname(path);
        emptied.set(folder, (emptied.get(folder) ?? new Set()).add(basename(path)));
      }
      for (const [folder, names] of emptied) {
        await removeSuccessors(folder, names);
        await removeEmptyFolders(root, folder);
      }
    },

    async close() {},
  };
}

type Content = Pick<Extract<GetResult, { kind: "object" }>, "body" | "forEachChunk">;

async function contentOf(key: ObjectKey, { handle, size, bytes }: OpenVersion): Promise<Content> {
  if (bytes === undefined) {
    return {
      body: handle.createReadStream({ start: 0 }),
      forEachChunk: (take) => translated(key, () => readThrough(handle, size, take)),
    };
  }
  await handle.close();
  return { body: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }) };
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR")) throw error;
  }
}

/** What conditional writes left beside objects that are gone. */
async function removeSuccessors(folder: string, objects: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const object = successorOf(name);
    if (object !== undefined && objects.has(object)) await removeFile(join(folder, name));
  }
}

/** A store has objects only, no folders. */
async function removeEmptyFolders(root: string, emptied: string): Promise<void> {
  for (let folder = emptied; folder.startsWith(root + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (isErrno(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) return;
      throw error;
    }
  }
}

function checkedKey(key: string): ObjectKey {
  if (isObjectKey(key)) return key;
  throw new Failure("usage", `Not an object key: ${JSON.stringify(key.slice(0, 200))}.`);
}

async function translated<Result>(key: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw failureOf(key, error);
  }
}

async function* translatedListing<Item>(
  prefix: string,
  signal: AbortSignal | undefined,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  try {
    signal?.throwIfAborted();
    for await (const item of items) {
      yield item;
      signal?.throwIfAborted();
    }
  } catch (error) {
    throw failureOf(prefix, error);
  }
}

function failureOf(key: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  if (cause instanceof Error && cause.name === "AbortError") {
    return new Failure("interrupted", `Interrupted at ${key}.`, { cause });
  }
  if (isErrno(cause, "EACCES", "EPERM", "EROFS")) {
    const text = `No permission for ${key} in the store's folder; check its owner and mode.`;
    return new Failure("store_denied", text, { cause });
  }
  const text = `The store's folder could not serve ${key}: ${reason(cause)}.`;
  return new Failure("store_unavailable", text, { cause });
}

function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
