import { rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { removeLinks } from "./earlier-links.ts";
import { isErrno } from "./errno.ts";
import { versionsFolder } from "./head.ts";
import { isNamed } from "./open-file.ts";
import type { StoreFolders } from "./store-folders.ts";
import type { Versions } from "./versions.ts";

/** Removes the objects of these names from one folder, in order; one that is not there counts as removed. */
export async function removeFiles(
  { folders, versions }: { readonly folders: StoreFolders; readonly versions: Versions },
  folder: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  await unlessGone(
    folders.within(folder, async (open) => {
      for (const name of names) {
        signal?.throwIfAborted();
        const path = join(folder, name);
        if (!isNamed(versionsFolder(path))) await unlessGone(unlink(open.at(name)));
        // Also when it appeared meanwhile: whoever began it must not bring the object back (P170).
        if (isNamed(versionsFolder(path))) await versions.remove(path);
      }
    }),
  );
}

/** Removes what earlier releases left beside objects that are gone, then the folders that this leaves empty. */
export async function tidyFolder(
  folders: StoreFolders,
  root: string,
  folder: string,
  objects: ReadonlySet<string>,
): Promise<void> {
  await unlessGone(folders.within(folder, (open) => removeLinks(open, (object) => objects.has(object))));
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

async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isErrno(error, "ENOENT", "ENOTDIR")) throw error;
  }
}
