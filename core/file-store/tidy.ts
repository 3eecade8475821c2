import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { unlessErrno } from "./file-error.ts";
import { isLeftover, temporaryPrefix } from "./new-file.ts";
import type { StoreFolders } from "./store-folders.ts";

/** P176: removes hidden leftovers in the folder and below: temporary files of killed processes, and empty folders. */
export async function tidyFolders(
  folders: StoreFolders,
  root: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const entries = await unlessGone(
    folders.within(folder, (open) => readdir(open.at(), { withFileTypes: true })),
  );
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(temporaryPrefix)) await unlessGone(removeLeftover(folders, path));
    else if (entry.isDirectory() && !entry.name.startsWith("."))
      await tidyFolders(folders, root, path, signal);
  }
  await removeEmptyFolders(folders, root, folder);
}

/** Removes the folder, then those above it, as long as they are empty and no mounts. */
export async function removeEmptyFolders(
  folders: StoreFolders,
  root: string,
  emptied: string,
): Promise<void> {
  for (let folder = emptied; folder.startsWith(root + sep); folder = dirname(folder)) {
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

const unlessGone = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  unlessErrno(work, "ENOENT", "ENOTDIR");
