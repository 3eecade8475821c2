import type { Dirent } from "node:fs";
import { lstat, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { ListedObject } from "../object-store.ts";
import { type StoreFolders, unlessErrno } from "./store-folders.ts";
import { isLeftover, temporaryPrefix } from "./stored-file.ts";

/** How many files are examined while their folder is open. It is closed while a listing's reader works. */
const filesAtOnce = 64;

/**
 * Lists the objects in and below `folder` in the order of their keys by code unit, without hidden files.
 * Memory holds the names of one folder per level. Folders that cannot have a match are not read. Throws when
 * a listed name is a symbolic link.
 */
export async function* listFiles(
  folders: StoreFolders,
  prefix: string,
  after: string,
  folder = "",
): AsyncGenerator<ListedObject> {
  let files: string[] = [];
  for (const name of await namesIn(folders, folder)) {
    const key = folder + name;
    const isFolder = name.endsWith("/");
    if (!isFolder && prefix.startsWith(`${key}/`))
      await folders.guard.refuseLinks(join(folders.guard.root, key));
    if (!isFolder && key.startsWith(prefix) && key > after) files.push(name);
    if (!isFolder && files.length < filesAtOnce) continue;
    yield* await examined(folders, folder, files);
    files = [];
    const mayMatch = isFolder && (key.startsWith(prefix) || prefix.startsWith(key));
    if (mayMatch && (key > after || after.startsWith(key))) yield* listFiles(folders, prefix, after, key);
  }
  yield* await examined(folders, folder, files);
}

async function examined(
  folders: StoreFolders,
  folder: string,
  names: readonly string[],
): Promise<readonly ListedObject[]> {
  const listed: ListedObject[] = [];
  if (names.length === 0) return listed;
  const path = resolve(folders.guard.root, folder);
  await ifThere(
    folders.within(path, async (open) => {
      for (const name of names) {
        const found = await ifThere(lstat(open.at(name)));
        if (found?.isSymbolicLink() === true) await folders.guard.refuseLinks(join(path, name));
        if (found?.isFile() !== true) continue;
        listed.push({ key: folder + name, size: found.size, modifiedAt: found.mtime });
      }
    }),
  );
  return listed;
}

/** The folders right below `prefix` that hold an object at any depth, in order; a link is no folder. */
export async function* listFolders(folders: StoreFolders, prefix: string): AsyncGenerator<string> {
  for (const name of await namesIn(folders, prefix)) {
    // A process that was killed while deleting may have left empty folders, which do not count.
    if (name.endsWith("/") && (await hasFile(folders, prefix + name))) yield name.slice(0, -1);
  }
}

async function hasFile(folders: StoreFolders, folder: string): Promise<boolean> {
  const entries = (await entriesIn(folders, folder)).filter(isVisible);
  if (entries.some((entry) => entry.isFile())) return true;
  for (const entry of entries) {
    if (entry.isDirectory() && (await hasFile(folders, `${folder}${entry.name}/`))) return true;
  }
  return false;
}

/** The visible names. Folders end in `/`, so sorting names sorts keys: `a-b` < `a.json` < `a/b`. */
async function namesIn(folders: StoreFolders, folder: string): Promise<readonly string[]> {
  return (await entriesIn(folders, folder))
    .filter(isVisible)
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort((a, b) => (a < b ? -1 : 1));
}

const isVisible = ({ name }: Dirent): boolean => !name.startsWith(".");

/** The entries of the folder; none when there is no such folder. */
async function entriesIn(folders: StoreFolders, folder: string): Promise<readonly Dirent[]> {
  const path = resolve(folders.guard.root, folder);
  return (await ifThere(folders.within(path, (open) => folders.guard.entries(open.at())))) ?? [];
}

/** P174: removes hidden leftovers in the folder and below: killed processes' files and empty folders. */
export async function tidyFolders(
  folders: StoreFolders,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const entries = await entriesIn(folders, folder);
  for (const entry of entries) {
    if (entry.name.startsWith(temporaryPrefix))
      await ifThere(removeLeftover(folders, join(folder, entry.name)));
    else if (entry.isDirectory() && isVisible(entry))
      await tidyFolders(folders, join(folder, entry.name), signal);
  }
  if (!entries.some((entry) => entry.isFile() && isVisible(entry))) await removeEmptyFolders(folders, folder);
}

/** Removes the folder, then those above it, as long as they are empty and no mounts. */
export async function removeEmptyFolders(folders: StoreFolders, emptied: string): Promise<void> {
  for (let folder = emptied; folder.startsWith(folders.guard.root + sep); folder = dirname(folder)) {
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
