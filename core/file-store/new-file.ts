import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type { ETag, ObjectBody } from "../object-store.ts";
import { isErrno } from "./file-error.ts";
import { versionTag } from "./open-file.ts";
import { fileMode, type StoreFolders } from "./store-folders.ts";

/**
 * Writes a new file under a hidden name, then gives it the name of `path`: `link` fails if there is such a file, and `rename`
 * replaces it. The content is durable before the name, and the name before this function resolves. Missing folders are made.
 *
 * The hidden name is in the same folder, since a folder of the store may be a mount of its own, and no file can be renamed from
 * one file system to another. `tidyFolders` removes what a killed process leaves.
 */
export async function putNewFile(
  folders: StoreFolders,
  path: string,
  body: ObjectBody,
  naming: "link" | "rename",
): Promise<ETag> {
  return await folders.withinMade(dirname(path), async (folder) => {
    const temporary = folder.at(temporaryName());
    let isLeft = true;
    try {
      const etag = await writeSyncedFile(temporary, body);
      // Naming is synchronous for the same reason as writing small files, see `writeSyncedFile`.
      (naming === "link" ? linkSync : renameSync)(temporary, folder.at(basename(path)));
      isLeft = naming === "link";
      await folder.sync();
      return etag;
    } finally {
      if (isLeft) unlinkIfThere(temporary);
    }
  });
}

/** Removes a file. This takes a quarter of the time of `rmSync`, which first examines the file. */
export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

export function temporaryName(): string {
  return `${temporaryPrefix}${processes}-${process.pid}-${randomUUID()}`;
}

export const temporaryPrefix = ".new-";

/** P174: whether the process that made this temporary name is gone for certain. */
export function isLeftover(name: string): boolean {
  const [, where, pid] = /^\.new-([0-9a-f]{16})-(\d+)-/.exec(name) ?? [];
  if (where !== processes) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return isErrno(error, "ESRCH");
  }
}

/** Where process ids mean the same: one run of one machine, and one container. No digits where the system has no such names. */
const processes = ((): string => {
  try {
    const names = [readFileSync("/proc/sys/kernel/random/boot_id"), readlinkSync("/proc/self/ns/pid")];
    return createHash("sha256").update(names.join()).digest("hex").slice(0, 16);
  } catch {
    return "unknown";
  }
})();

/** A body up to this size is written synchronously: writing it into the page cache takes well under 0.1 ms. */
const maxDirectBytes = 64 * 1024;

/**
 * Makes a file's content durable in another thread. All syncs of a turn of the event loop begin at its end, one right after the
 * other: waking a sleeping thread is dearer than a sync of a small file, and a thread that has work left need not be woken.
 */
async function dataSync(file: number): Promise<void> {
  turnEnd ??= setImmediate(undefined, undefined).finally(() => {
    turnEnd = undefined;
  });
  await turnEnd;
  await fdatasynced(file);
}

let turnEnd: Promise<void> | undefined;
const fdatasynced = promisify(fdatasync);
const written = promisify(writeFile);

/**
 * Writes the body into a new file and waits until it is durable. Returns the tag of that version. Throws the system's errors,
 * and may then leave an incomplete file.
 *
 * Passing a call to another thread takes longer than the calls on a small file themselves. So for a small file only the sync,
 * which waits for the disk, runs in another thread. A large body would block the event loop, so it is written there, too.
 */
export async function writeSyncedFile(path: string, body: ObjectBody): Promise<ETag> {
  const file = openSync(path, "wx", fileMode);
  try {
    if (body.size <= maxDirectBytes) writeFileSync(file, body.bytes);
    else await written(file, body.bytes);
    await dataSync(file);
    return versionTag(fstatSync(file, { bigint: true }), body.sha256);
  } finally {
    closeSync(file);
  }
}
