import { randomBytes } from "node:crypto";
import { unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { ETag } from "../object-store.ts";
import { isErrno } from "./errno.ts";
import type { StoreFolders } from "./store-folders.ts";

/** Writes a new file of this path, as durable as it is to be, and gives the tag that says which version it is. */
export type WriteFile = (path: string) => Promise<ETag>;

/**
 * Makes a new file and has `giveName` give it the name that `path` has, durably unless told otherwise: content before name, name
 * before success. The folders on the way are made.
 *
 * Until then the file has a hidden name beside that one: in the same folder, since a folder of the store may be a mount of its own,
 * and no rename leads from one file system to another. `tidyFolders` removes what a killed process leaves.
 */
export async function putNewFile(
  folders: StoreFolders,
  path: string,
  write: WriteFile,
  giveName: (from: string, to: string) => void,
  isDurable = true,
): Promise<ETag> {
  return await folders.withinMade(dirname(path), async (folder) => {
    const temporary = folder.at(temporaryName());
    try {
      const etag = await write(temporary);
      // Names are changed in the event loop's own thread, like small files: see `writeSyncedFile`.
      giveName(temporary, folder.at(basename(path)));
      if (isDurable) await folder.sync();
      return etag;
    } finally {
      unlinkIfThere(temporary);
    }
  });
}

/** Removing one name this way costs a quarter of `rmSync`, which first looks at what it removes. */
export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

export function temporaryName(): string {
  return `${temporaryPrefix}${randomBytes(12).toString("hex")}`;
}

export const temporaryPrefix = ".new-";
