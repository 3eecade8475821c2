import type { Dirent } from "node:fs";
import { lstat, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { ListedObject } from "../object-store.ts";
import { unlessErrno } from "./file-error.ts";
import type { LinkGuard } from "./link-guard.ts";
import { isLeftover, temporaryPrefix } from "./new-file.ts";
import type { StoreFolders } from "./store-folders.ts";

/** The store whose folders are walked through. */
export interface WalkedStore {
  readonly guard: LinkGuard;
  readonly folders: StoreFolders;
}

/**
 * Lists the objects below the root in the order of their keys by code unit, without hidden files. Memory holds the names of one
 * folder per level. Folders that cannot have a match are not read. Throws when a listed name is a symbolic link.
 */
export async function* listFiles(
  store: WalkedStore,
  prefix: string,
  after: string,
): AsyncGenerator<ListedObject> {
  yield* walk(store, "", prefix, after);
}

/** The names of the folders right below `prefix` that hold an object at any depth, in order; a link is no folder. */
export async function* listFolders(store: WalkedStore, prefix: string): AsyncGenerator<string> {
  for (const name of await namesIn(store, prefix)) {
    if (!name.endsWith("/")) continue;
    // A process that was killed while deleting may have left empty folders, which do not count.
    if (await hasFile(store, prefix + name)) yield name.slice(0, -1);
  }
}

async function hasFile(store: WalkedStore, folder: string): Promise<boolean> {
  const entries = await entriesIn(store, folder);
  if (entries.some((entry) => entry.isFile())) return true;
  for (const entry of entries) {
    if (entry.isDirectory() && (await hasFile(store, `${folder}${entry.name}/`))) return true;
  }
  return false;
}

async function* walk(
  store: WalkedStore,
  folder: string,
  prefix: string,
  after: string,
): AsyncGenerator<ListedObject> {
  let files: string[] = [];
  for (const name of await namesIn(store, folder)) {
    const key = folder + name;
    if (!name.endsWith("/")) {
      if (prefix.startsWith(`${key}/`)) await store.guard.refuseLinks(resolve(store.guard.root, key));
      if (key.startsWith(prefix) && key > after) files.push(name);
      if (files.length < filesAtOnce) continue;
    }
    yield* await filesOf(store, folder, files);
    files = [];
    const mayMatch = name.endsWith("/") && (key.startsWith(prefix) || prefix.startsWith(key));
    if (mayMatch && (key > after || after.startsWith(key))) yield* walk(store, key, prefix, after);
  }
  yield* await filesOf(store, folder, files);
}

/** How many files are examined while their folder is open. The folder is closed while the listing waits for its reader. */
const filesAtOnce = 64;

async function filesOf(
  { folders, guard }: WalkedStore,
  folder: string,
  names: readonly string[],
): Promise<readonly ListedObject[]> {
  if (names.length === 0) return [];
  const listed: ListedObject[] = [];
  await ifThere(
    folders.within(resolve(guard.root, folder), async (open) => {
      for (const name of names) {
        const found = await ifThere(guard.disk.lstat(open.at(name)));
        if (found?.isSymbolicLink() === true) await guard.refuseLinks(resolve(guard.root, folder, name));
        if (found?.isFile() === true) {
          listed.push({ key: folder + name, size: found.size, modifiedAt: found.mtime });
        }
      }
    }),
  );
  return listed;
}

/** Folders end in `/`, so that sorting the names sorts the keys: `a-b` < `a.json` < `a/b`. */
async function namesIn(store: WalkedStore, folder: string): Promise<readonly string[]> {
  return (await entriesIn(store, folder))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** The visible entries of the folder; none when there is no such folder. */
async function entriesIn({ folders, guard }: WalkedStore, folder: string): Promise<readonly Dirent[]> {
  const entries = await ifThere(
    folders.within(resolve(guard.root, folder), (open) => guard.disk.entries(open.at())),
  );
  return (entries ?? []).filter((entry) => !entry.name.startsWith("."));
}

/** P176: removes hidden leftovers in the folder and below: temporary files of killed processes, and empty folders. */
export async function tidyFolders(
  store: WalkedStore,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const { folders, guard } = store;
  const entries = await ifThere(folders.within(folder, (open) => guard.disk.entries(open.at())));
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(temporaryPrefix)) await ifThere(removeLeftover(folders, path));
    else if (entry.isDirectory() && !entry.name.startsWith(".")) await tidyFolders(store, path, signal);
  }
  await removeEmptyFolders(store, folder);
}

/** Removes the folder, then those above it, as long as they are empty and no mounts. */
export async function removeEmptyFolders({ folders, guard }: WalkedStore, emptied: string): Promise<void> {
  for (let folder = emptied; folder.startsWith(guard.root + sep); folder = dirname(folder)) {
    const removal = folders.within(dirname(folder), async (parent) => {
      await rmdir(parent.at(basename(folder)));
      return true;
    });
    if ((await unlessErrno(removal, "ENOTEMPTY", "EEXIST", "EBUSY", "ENOENT", "ENOTDIR")) !== true) return;
  }
}

/** Removes the file if its process is gone, or if it is old: a process may still be writing a younger one. */
async function removeLeftover(folders: StoreFolders, path: string): Promise<void> {
  await folders.within(dirname(path), async (folder) => {
    const name = folder.at(basename(path));
    if (isLeftover(basename(path)) || Date.now() - (await lstat(name)).mtimeMs > leftoverAgeMs)
      await rm(name, { recursive: true });
  });
}

const leftoverAgeMs = 24 * 3600 * 1000;

const ifThere = <Result>(looking: Promise<Result>): Promise<Result | undefined> =>
  unlessErrno(looking, "ENOENT", "ENOTDIR");
