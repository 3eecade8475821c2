import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Failure } from "../../core/failure.ts";
import { isErrno } from "../../core/file-store/errno.ts";

/** W87: whoever may write there decides which tokens are good, so it is the gateway's own user or nobody. Throws `settings`. */
export function assertOwnFolder(folder: string, found: Stats): void {
  if (found.isDirectory() && isOwn(found)) return;
  const what = found.isDirectory() ? "belongs to another user" : "is no folder";
  throw new Failure("settings", `LAST_GOOD_DIR: ${folder} ${what}; remove it, or name another folder.`);
}

export function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

/**
 * W100: a regular file of this user. `undefined` for a link, which may lead anywhere, and for whatever else has its name: a
 * pipe would keep its reader waiting. Throws as `open` does when nothing is there.
 */
export async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, "ELOOP") || isErrno(error, "ENXIO")) return undefined;
    throw error;
  }
  const found = await file.stat().catch(() => undefined);
  if (found?.isFile() && isOwn(found)) return file;
  await file.close();
  return undefined;
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
