import { randomBytes } from "node:crypto";
import { type BigIntStats, closeSync, fdatasync, fstatSync, openSync, unlinkSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import type { ETag, ObjectBody } from "../object-store.ts";
import { isErrno } from "./file-error.ts";
import { versionTag } from "./open-file.ts";
import { fileMode, type StoreFolders } from "./store-folders.ts";

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

/** A body up to this size is written in the event loop's own thread: into the page cache, in well under 0.1 ms. */
const maxDirectBytes = 64 * 1024;
const dataSync = promisify(fdatasync);

/**
 * Writes the body into a new file and waits until it is durable. Gives the tag of that version. Throws the system's errors,
 * and may then leave a part of it behind.
 *
 * Each hand-over to another thread costs more than the calls on a small file themselves, so of those only the sync,
 * which waits for the disk, is handed over. A large body would hold up everything else, so there each call is.
 */
export async function writeSyncedFile(path: string, body: ObjectBody): Promise<ETag> {
  return versionTag(await writeSynced(path, body), body.sha256);
}

async function writeSynced(path: string, body: ObjectBody): Promise<BigIntStats> {
  if (body.size <= maxDirectBytes) return await writeDirectly(path, body.bytes);
  const handle = await open(path, "wx", fileMode);
  try {
    await handle.writeFile(body.bytes);
    await handle.datasync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

async function writeDirectly(path: string, bytes: Buffer): Promise<BigIntStats> {
  const file = openSync(path, "wx", fileMode);
  try {
    // A disk that fills up takes a part of the bytes; the next call says why.
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written);
    }
    await dataSync(file);
    return fstatSync(file, { bigint: true });
  } finally {
    closeSync(file);
  }
}
