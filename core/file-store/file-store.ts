import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { Failure } from "../failure.ts";
import { isObjectKey, type ObjectKey } from "../object-key.ts";
import type { ETag, GetResult, ObjectBody, ObjectStore, PutResult } from "../object-store.ts";
import { withCurrentFile } from "./copy-file.ts";
import { createDurableFiles, type TemporaryFile, type WriteFile } from "./durable-files.ts";
import { folderFailure } from "./folder-failure.ts";
import { createLinkGuard } from "./link-guard.ts";
import { listFiles, listFolders } from "./list-files.ts";
import { readThrough } from "./read-through.ts";
import { removeFiles, tidyFolder } from "./remove-files.ts";
import { createStoreFolders } from "./store-folders.ts";
import { writeSyncedFile } from "./synced-file.ts";
import {
  isNamed,
  type OpenVersion,
  openCurrentVersion,
  successorPath,
  successorPrefix,
} from "./version-tag.ts";

export interface FileStoreOptions {
  readonly directory: string;
  /** See `LinkGuard`; for tests of what other systems than Linux do. */
  readonly hasProc?: boolean;
}

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
export function createFileStore(options: FileStoreOptions): ObjectStore {
  const root = resolve(options.directory);
  const guard = createLinkGuard(root, options.hasProc);
  const folders = createStoreFolders(guard);
  const files = createDurableFiles(root, folders);
  const pathOf = (key: string): string => join(root, checkedKey(key));

  async function putIfMatch(path: string, body: ObjectBody, expected: ETag): Promise<PutResult> {
    const current = await openCurrentVersion(guard, path);
    await current?.handle.close();
    if (current?.etag !== expected) return { kind: "refused" };
    return await withUnusedVersion(path, written(body), async (temporary) => {
      if (!(await files.linkNew(temporary, successorPath(path, expected)))) return { kind: "refused" };
      await files.replace(temporary, path);
      await files.sweep(dirname(path), successorPrefix(basename(path)));
      return { kind: "stored", etag: temporary.etag };
    });
  }

  async function putIfAbsent(path: string, body: ObjectBody): Promise<PutResult> {
    return await files.withTemporary(written(body), async (temporary) => {
      const stored = await files.linkNew(temporary, path);
      return stored ? { kind: "stored", etag: temporary.etag } : { kind: "refused" };
    });
  }

  async function putAlways(path: string, body: ObjectBody): Promise<PutResult> {
    return await withUnusedVersion(path, written(body), async (temporary) => {
      await files.replace(temporary, path);
      return { kind: "stored", etag: temporary.etag };
    });
  }

  /**
   * A version whose tag no successor link names. The tag holds inode, time and content; a file system that reuses
   * the inode of a version replaced within the same clock tick by the same content could repeat it.
   */
  async function withUnusedVersion<Result>(
    path: string,
    write: WriteFile,
    use: (temporary: TemporaryFile) => Promise<Result>,
  ): Promise<Result> {
    return await files.withTemporary(write, async (temporary) => {
      if (!isNamed(successorPath(path, temporary.etag))) return await use(temporary);
      return await withUnusedVersion(path, write, use);
    });
  }

  return {
    address: `file:${root}`,

    async get(key, options) {
      const path = pathOf(key);
      return translated(key, async () => {
        options?.signal?.throwIfAborted();
        const version = await openCurrentVersion(guard, path);
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

    async copy(from, to, options) {
      const [source, target] = [pathOf(from), pathOf(to)];
      return translated(to, async () => {
        options?.signal?.throwIfAborted();
        const isCopied = await withCurrentFile(guard, source, (copied) =>
          withUnusedVersion(target, copied, async (temporary) => {
            await files.replaceUnsynced(temporary, target);
            return true;
          }),
        );
        return { kind: isCopied === true ? "copied" : "missing" };
      });
    },

    list: (prefix, options) =>
      translatedListing(prefix, options?.signal, listFiles({ guard, folders }, prefix, options?.after ?? "")),

    listFolders: (prefix, options) =>
      translatedListing(prefix, options?.signal, listFolders({ guard, folders }, prefix)),

    async delete(keys, options) {
      // All keys are looked at before the first object goes.
      const paths = keys.map((key) => ({ key, path: pathOf(key) }));
      const emptied = new Map<string, Set<string>>();
      for (const { key, folder, names } of byFolder(paths)) {
        await translated(key, () => removeFiles(folders, folder, names, options?.signal));
        emptied.set(folder, new Set([...(emptied.get(folder) ?? []), ...names]));
      }
      for (const [folder, names] of emptied) {
        await translated(folder, () => tidyFolder(folders, root, folder, names));
      }
    },

    async close() {},
  };
}

function written(body: ObjectBody): WriteFile {
  return (path) => writeSyncedFile(path, body);
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

/** Objects of one folder that follow each other are removed while it is open; the order stays. */
function byFolder(paths: readonly { readonly key: string; readonly path: string }[]) {
  const groups: { readonly key: string; readonly folder: string; readonly names: string[] }[] = [];
  for (const { key, path } of paths) {
    const folder = dirname(path);
    const last = groups.at(-1);
    if (last?.folder === folder) last.names.push(basename(path));
    else groups.push({ key, folder, names: [basename(path)] });
  }
  return groups;
}

function checkedKey(key: string): ObjectKey {
  if (isObjectKey(key)) return key;
  throw new Failure("usage", `Not an object key: ${JSON.stringify(key.slice(0, 200))}.`);
}

async function translated<Result>(key: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw folderFailure(key, error);
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
    throw folderFailure(prefix, error);
  }
}
