import { readdir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { isErrno } from "./errno.ts";
import type { StoreFolder, StoreFolders } from "./store-folders.ts";
import { successorOf } from "./version-tag.ts";

/** Removes the files of these names from one folder, in order; one that is not there counts as removed. */
export async function removeFiles(
  folders: StoreFolders,
  folder: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  await unlessGone(
    folders.within(folder, async (open) => {
      for (const name of names) {
        signal?.throwIfAborted();
        await removeFile(open, name);
      }
    }),
  );
}

/** Removes what conditional writes left beside objects that are gone, then the folders that this leaves empty. */
export async function tidyFolder(
  folders: StoreFolders,
  root: string,
  folder: string,
  objects: ReadonlySet<string>,
): Promise<void> {
  await unlessGone(
    folders.within(folder, async (open) => {
      for (const name of await readdir(open.at())) {
        const object = successorOf(name);
        if (object !== undefined && objects.has(object)) await removeFile(open, name);
      }
    }),
  );
  await removeEmptyFolders(folders, root, folder);
}

/** A store has objects only, no folders. */
async function removeEmptyFolders(folders: StoreFolders, root: string, emptied: string): Promise<void> {
  for (let folder = emptied; folder.startsWith(root + sep); folder = dirname(folder)) {
    try {
      await folders.within(dirname(folder), (parent) => rmdir(parent.at(basename(folder))));
    } catch (error) {
      if (isErrno(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR")) return;
      throw error;
    }
  }
}

async function removeFile(folder: StoreFolder, name: string): Promise<void> {
  await unlessGone(unlink(folder.at(name)));
}

async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR")) throw error;
  }
}
