import { type BigIntStats, constants, fstatSync, lstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Failure } from "../failure.ts";
import { sha256Hex } from "../object-body.ts";
import type { ETag } from "../object-store.ts";
import { isErrno } from "./file-error.ts";
import type { LinkGuard } from "./link-guard.ts";

/** Up to this size a tag includes the content's digest. The tags of larger files differ by inode, time and size alone. */
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
}

/** The tag of a file with this inode, time, size and content; `sha256` is in hex. */
export function versionTag(stat: BigIntStats, sha256: string): ETag {
  const digest = stat.size <= maxHashedBytes ? sha256.slice(0, 32) : "";
  return `${stat.ino.toString(36)}-${stat.mtimeNs.toString(36)}-${stat.size.toString(36)}-${digest}`;
}

/** Whether anything has the name. Links on the way are not refused here, but by the put or open that follows. */
export function isNamed(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isErrno(error, "ENOTDIR")) return false;
    throw error;
  }
}

/**
 * Opens the file; `undefined` when there is none. The caller closes the handle. The size is in memory after the opening, so
 * asking for it never waits for the disk.
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
    const bytes = size <= maxHashedBytes ? await filled(Buffer.allocUnsafe(size), handle, 0) : undefined;
    const sha256 = bytes === undefined ? "" : sha256Hex(bytes);
    return { handle, inode: stat.ino, etag: versionTag(stat, sha256), size, modifiedAt: stat.mtime, bytes };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

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
 * The first `size` bytes of a file in chunks. They share one buffer if `isReused` is true: the next chunk is read into it when the
 * caller asks for one. Closes the file at its end, and when the caller leaves. Throws when there are fewer bytes.
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
