import { createHash, randomUUID } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createSlots } from "../../ground/bounded-work.ts";
import { Failure } from "../../ground/failure.ts";
import { sha256Hex } from "../object-body.ts";
import type { ETag, ObjectBody } from "../object-store.ts";
import { fileMode, isErrno, type LinkGuard, type StoreFolders } from "./store-folders.ts";

/** Up to this size a tag includes the content's digest. Larger files' tags have inode, time and size. */
const maxHashedBytes = 1024 * 1024;

/** An open file and the tag of its version. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly inode: bigint;
  readonly etag: ETag;
  readonly size: number;
  readonly modifiedAt: Date;
  /** The whole content, if it is small enough to be hashed. */
  readonly bytes: Buffer | undefined;
  /** In hex; empty when `bytes` is missing. */
  readonly sha256: string;
}

/** The tag of a file with this inode, time, size and content; `sha256` is in hex. */
function versionTag(stat: BigIntStats, sha256: string): ETag {
  const digest = stat.size <= maxHashedBytes ? sha256.slice(0, 32) : "";
  return `${stat.ino.toString(36)}-${stat.mtimeNs.toString(36)}-${stat.size.toString(36)}-${digest}`;
}

/** Whether anything has the name. Links on the way are refused by the put or open that follows. */
export function isNamed(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isErrno(error, "ENOTDIR")) return false;
    throw error;
  }
}

/**
 * Opens the file; `undefined` when there is none. The caller closes the handle. The size is in memory after
 * the opening, so asking for it never waits for the disk.
 */
export async function openFile(guard: LinkGuard, path: string): Promise<OpenFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await guard.open(path, constants.O_RDONLY);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    // The system refuses to open a socket.
    if (isErrno(error, "ENXIO")) throw specialFile(path);
    throw error;
  }
  try {
    const stat = fstatSync(handle.fd, { bigint: true });
    // A folder can be opened like a file, but it is no object.
    if (stat.isDirectory()) {
      await handle.close();
      return undefined;
    }
    if (!stat.isFile()) throw specialFile(path);
    const size = Number(stat.size);
    const { bytes, sha256 } = size <= maxHashedBytes ? await wholeContent(handle, size) : notHashed;
    const etag = versionTag(stat, sha256);
    return { handle, inode: stat.ino, etag, size, modifiedAt: stat.mtime, bytes, sha256 };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const notHashed = { bytes: undefined, sha256: "" };

/** W194: at most as many larger files as Node has threads are read at once, so no turn hashes more. */
async function wholeContent(handle: FileHandle, size: number) {
  const read = async () => {
    const bytes = await filled(Buffer.allocUnsafe(size), handle, 0);
    return { bytes, sha256: sha256Hex(bytes) };
  };
  return size <= maxDirectBytes ? await read() : await sizableReads("Reading a file", undefined, read);
}

const sizableReads = createSlots(4);

/** The failure for a pipe, socket or device. Reading one may never end, or may change something. */
function specialFile(path: string): Failure {
  return new Failure(
    "corrupt_document",
    `The store's folder cannot serve ${path}: it is a pipe, a socket or a device, and no file. Remove it.`,
  );
}

/** The buffer after it was filled with the file's bytes from `position` on. */
async function filled(buffer: Buffer, handle: FileHandle, position: number): Promise<Buffer> {
  for (let at = 0; at < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, at, buffer.length - at, position + at);
    if (bytesRead === 0) throw new Error("the file was cut while it was being read");
    at += bytesRead;
  }
  return buffer;
}

/**
 * The first `size` bytes of a file in chunks. They share one buffer if `isReused` is true: the next chunk is
 * read into it when the caller asks for one. Closes the file at its end, and when the caller leaves. Throws
 * when there are fewer bytes.
 */
export async function* chunksOf(handle: FileHandle, size: number, isReused: boolean): AsyncGenerator<Buffer> {
  const reused = isReused ? Buffer.allocUnsafeSlow(Math.min(size, chunkBytes)) : undefined;
  try {
    for (let at = 0; at < size; at += chunkBytes) {
      const length = Math.min(chunkBytes, size - at);
      yield await filled(reused?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length), handle, at);
    }
  } finally {
    await handle.close();
  }
}

const chunkBytes = 128 * 1024;

/**
 * Writes a new file under a hidden name, then gives it the name of `path`: `link` fails if there is such a
 * file, and `rename` replaces it. The content is durable before the name, and the name before this function
 * resolves. Missing folders are made.
 *
 * The hidden name is in the same folder, since a folder of the store may be a mount of its own, and no file
 * can be renamed from one file system to another. `tidyFolders` removes what a killed process leaves.
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

/** Where process ids mean the same: one boot of a machine, and one container. No digits where unknown. */
const processes = ((): string => {
  try {
    const names = [readFileSync("/proc/sys/kernel/random/boot_id"), readlinkSync("/proc/self/ns/pid")];
    return createHash("sha256").update(names.join()).digest("hex").slice(0, 16);
  } catch {
    return "unknown";
  }
})();

/** So much is read, hashed or written in well under 0.1 ms, so it needs no bound and no thread. */
const maxDirectBytes = 64 * 1024;

/**
 * Makes a file's content durable in another thread. All syncs of a turn of the event loop begin at its end,
 * one right after the other: waking a sleeping thread is dearer than a sync of a small file, and a thread
 * that has work left need not be woken.
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
 * Writes the body into a new file and waits until it is durable. Returns the tag of that version. Throws the
 * system's errors, and may then leave an incomplete file.
 *
 * Passing a call to another thread takes longer than the calls on a small file themselves. So for a small
 * file only the sync, which waits for the disk, runs in another thread. A large body would block the event
 * loop, so it is written there, too.
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
