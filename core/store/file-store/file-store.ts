import { chmodSync, linkSync, lstatSync, renameSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { checkedKey, type ObjectKey } from "../../ground/object-key.ts";
import { bytesBody, type ObjectHead, objectInMemory, readBody } from "../object-body.ts";
import type { GetResult, ObjectBody, ObjectStore, PutResult, StoredObject } from "../object-store.ts";
import {
  createLinkGuard,
  createStoreFolders,
  folderFailure,
  type StoreFolders,
  unlessErrno,
} from "./store-folders.ts";
import { chunksOf, isNamed, putNewFile, temporaryName, unlinkIfThere } from "./stored-file.ts";
import { Versions, versionsFolder } from "./versions.ts";
import { listFiles, listFolders, removeEmptyFolders, tidyFolders } from "./walk-folders.ts";

export interface FileStoreOptions {
  readonly directory: string;
  /** Lets tests run as on other systems than Linux. See `LinkGuard`. */
  readonly hasProc?: boolean;
}

/**
 * The object store in a folder: one file per object, named like its key. It serves any number of processes on
 * one machine, and needs a file system with hard links (every usual local one).
 *
 * Conditional writes take no lock, so a killed or frozen process never blocks another. *Put if absent* is
 * `link(2)`, which fails if the name exists. *Put if match* is described at `Versions`. Whenever nobody
 * writes, the plain files are the objects, and nothing depends on inodes or times. So a copy of the folder is
 * the same store (P173).
 */
export function createFileStore(options: FileStoreOptions): ObjectStore {
  const root = resolve(options.directory);
  const guard = createLinkGuard(root, options.hasProc);
  const folders = createStoreFolders(guard);
  const versions = new Versions(folders);
  const pathOf = (key: string): string => join(root, checkedKey(key));
  const parts = { folders, versions, pathOf };

  return {
    address: `file:${root}`,

    get: (key, options) => getObject(parts, key, options),

    async put(key, body, { condition, signal } = {}) {
      const path = pathOf(key);
      return translated(key, signal, () => {
        if (condition === undefined) return putAlways(parts, path, body);
        if (condition.kind === "absent") return putIfAbsent(parts, path, body);
        return versions.replace(path, body, condition.etag);
      });
    },

    async copy(from, to, options) {
      const [source, target] = [pathOf(from), pathOf(to)];
      return translated(to, options?.signal, async () => {
        const isLinked = await unlessErrno(link(parts, source, target), ...notLinked);
        if (isLinked === true) return { kind: "copied" };
        const found = await getObject(parts, from, options);
        if (found.kind !== "object") return { kind: "missing" };
        await putAlways(parts, target, bytesBody(await readBody(found, found.size, from)));
        return { kind: "copied" };
      });
    },

    list: (prefix, options) =>
      translatedItems(prefix, options?.signal, listFiles(folders, prefix, options?.after ?? "")),

    listFolders: (prefix, options) => translatedItems(prefix, options?.signal, listFolders(folders, prefix)),

    async delete(keys, options) {
      // All keys are checked before the first object is deleted.
      const paths = keys.map((key) => ({ key, path: pathOf(key) }));
      for (const { key, path } of paths) await translated(key, options?.signal, () => versions.remove(path));
      for (const folder of new Set(paths.map(({ path }) => dirname(path)))) {
        await translated(folder, undefined, () => removeEmptyFolders(folders, folder));
      }
    },

    tidy: (prefix, options) =>
      translated(prefix, options?.signal, () => tidyFolders(folders, resolve(root, prefix), options?.signal)),

    async close() {},
  };
}

interface FolderParts {
  readonly folders: StoreFolders;
  readonly versions: Versions;
  readonly pathOf: (key: string) => string;
}

async function getObject(
  { versions, pathOf }: FolderParts,
  key: ObjectKey,
  options: GetOptions,
): Promise<GetResult> {
  const path = pathOf(key);
  return translated(key, options?.signal, async () => {
    const file = await versions.open(path);
    if (file === undefined) return { kind: "missing" };
    const { handle, bytes, sha256, etag, size, modifiedAt } = file;
    const isKnown = etag === options?.ifNoneMatch;
    const head = { kind: "object", etag, size, modifiedAt } as const;
    if (bytes === undefined && !isKnown) return largeObject(head, handle, key);
    await handle.close();
    return bytes === undefined || isKnown ? { kind: "not_modified" } : objectInMemory(head, bytes, sha256);
  });
}

async function putAlways(
  { folders, versions }: FolderParts,
  path: string,
  body: ObjectBody,
): Promise<PutResult> {
  while (isNamed(versionsFolder(path))) {
    const result = await versions.replace(path, body, undefined);
    if (result.kind === "stored") return result;
  }
  return { kind: "stored", etag: await putNewFile(folders, path, body, "rename") };
}

async function putIfAbsent({ folders }: FolderParts, path: string, body: ObjectBody): Promise<PutResult> {
  const etag = await unlessErrno(putNewFile(folders, path, body, "link"), "EEXIST");
  return etag === undefined ? { kind: "refused" } : { kind: "stored", etag };
}

/**
 * Makes the target another name of the source's file, read-only from then on. A new file takes ten times as
 * long. False for an object that is replaced under conditions: its plain file need not be it.
 */
async function link({ folders, versions }: FolderParts, source: string, target: string): Promise<boolean> {
  if (isNamed(versionsFolder(source))) return false;
  return await folders.within(dirname(source), (from) =>
    folders.withinMade(dirname(target), async (to) => {
      const linked = from.at(basename(source));
      const found = lstatSync(linked);
      if (!found.isFile()) return false;
      if ((found.mode & 0o222) !== 0) chmodSync(linked, found.mode & 0o440);
      await versions.publishPending(target);
      const name = to.at(basename(target));
      const temporary = isNamed(name) ? to.at(temporaryName()) : name;
      linkSync(linked, temporary);
      if (temporary === name) return true;
      try {
        renameSync(temporary, name);
      } finally {
        // Renaming does nothing where both names are of one file already.
        unlinkIfThere(temporary);
      }
      return true;
    }),
  );
}

/** Errors where links are not supported or not allowed. Then the object is copied, or found missing. */
const notLinked = ["EEXIST", "EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOENT"];

type GetOptions = Parameters<ObjectStore["get"]>[1];

function largeObject(head: ObjectHead, handle: FileHandle, key: ObjectKey): StoredObject {
  const chunks = (isReused: boolean) =>
    translatedItems(key, undefined, chunksOf(handle, head.size, isReused));
  const body = Readable.from(chunks(false), { objectMode: false, highWaterMark: 64 * 1024 });
  // A body that nobody reads closes the file, too.
  body.once("close", () => handle.close().catch(() => {}));
  return {
    ...head,
    body,
    async forEachChunk(take) {
      try {
        for await (const chunk of chunks(true)) await take(chunk);
      } finally {
        body.destroy();
      }
    },
  };
}

async function translated<Result>(
  key: string,
  signal: AbortSignal | undefined,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    signal?.throwIfAborted();
    return await operation();
  } catch (error) {
    throw folderFailure(key, error);
  }
}

async function* translatedItems<Item>(
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
    throw folderFailure(prefix, error);
  }
}
