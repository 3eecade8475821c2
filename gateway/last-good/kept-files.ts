import { createHash } from "node:crypto";
import { type FileHandle, lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Failure } from "../../core/failure.ts";
import { isErrno } from "../../core/file-store/file-error.ts";
import { sha256Hex } from "../../core/object-body.ts";
import { type AtomicFiles, namesIn, type Pieces } from "./atomic-file.ts";
import { isDigest } from "./kept-state.ts";
import { openOwnFile } from "./own-folder.ts";

/**
 * Files named after the SHA-256 of their content. So no name comes from foreign text, several gateways never write different
 * content under one name, and each file can be checked when it is read (W77). Their size is bounded: the least recently
 * used files are removed first (W84).
 */
export interface KeptFiles {
  has(sha256: string): boolean;
  /** The whole content; `undefined` when it does not have the digest in its name, and then the file is removed. */
  read(sha256: string): Promise<Buffer | undefined>;
  /** The content as a stream. It was checked before, once for all readers. */
  stream(sha256: string): Promise<Readable | undefined>;
  /** Makes the next reader check the content again, because a stream of it was wrong. */
  doubt(sha256: string): void;
  /** Makes room, then writes. False when the file exists. Throws when there cannot be enough room; nothing is removed then. */
  write(sha256: string, size: number, pieces: Pieces): Promise<boolean>;
  /** Finds the files of earlier gateways, and of others that share the folder. */
  scan(): Promise<void>;
  /** Bytes on the disk. */
  bytes(): number;
}

export interface KeptFilesOptions {
  readonly folder: string;
  readonly files: AtomicFiles;
  readonly maxBytes: number;
  /** Files that are never removed to make room. */
  readonly pinned: () => ReadonlySet<string>;
  /** Bodies in memory, which are in use though nobody reads their files; the most recently used last. */
  readonly inUse: () => Iterable<string>;
}

export function createKeptFiles({ folder, files, maxBytes, pinned, inUse }: KeptFilesOptions): KeptFiles {
  const root = join(folder, "files");
  /** Digest → bytes on the disk, the least recently used first. */
  const sizes = new Map<string, number>();
  /** Files whose content this process has checked, and that have not failed since. */
  const proven = new Set<string>();
  /** Files that count already but are not written yet. */
  const writing = new Set<string>();
  let total = 0;

  const pathOf = (sha256: string): string => join(root, sha256.slice(0, 2), sha256);

  function note(sha256: string, size: number): void {
    forget(sha256);
    sizes.set(sha256, onDisk(size));
    total += onDisk(size);
  }

  function forget(sha256: string): void {
    total -= sizes.get(sha256) ?? 0;
    sizes.delete(sha256);
    proven.delete(sha256);
  }

  function touch(sha256: string): void {
    const size = sizes.get(sha256);
    if (size === undefined) return;
    sizes.delete(sha256);
    sizes.set(sha256, size);
  }

  async function remove(sha256: string): Promise<void> {
    await rm(pathOf(sha256), { force: true, recursive: true });
    forget(sha256);
  }

  /** Whether there would be room after the removal of every file that may be removed. */
  function canHold(bytes: number): boolean {
    if (total + bytes <= maxBytes) return true;
    let staying = 0;
    for (const sha256 of pinned()) staying += sizes.get(sha256) ?? 0;
    return staying + bytes <= maxBytes;
  }

  async function makeRoom(bytes: number): Promise<void> {
    if (total + bytes <= maxBytes) return;
    for (const sha256 of inUse()) touch(sha256);
    const kept = pinned();
    // Some more room than needed is made, or every later write would look through all files.
    const goal = maxBytes * 0.95 - bytes;
    for (const sha256 of [...sizes.keys()]) {
      if (total <= goal) return;
      if (!kept.has(sha256)) await remove(sha256);
    }
  }

  async function unlessMissing<Value>(sha256: string, use: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await use();
    } catch (error) {
      if (!isErrno(error, "ENOENT")) throw error;
      forget(sha256);
      return undefined;
    }
  }

  return {
    has: (sha256) => sizes.has(sha256),

    read: (sha256) =>
      unlessMissing(sha256, async () => {
        const file = await openOwnFile(pathOf(sha256));
        const bytes = file && (await wholeContent(file));
        if (bytes === undefined || sha256Hex(bytes) !== sha256) {
          await remove(sha256);
          return undefined;
        }
        touch(sha256);
        return bytes;
      }),

    stream: (sha256) =>
      unlessMissing(sha256, async () => {
        const file = await openOwnFile(pathOf(sha256));
        if (file === undefined || !(proven.has(sha256) || (await contentDigest(file)) === sha256)) {
          await file?.close();
          await remove(sha256);
          return undefined;
        }
        proven.add(sha256);
        touch(sha256);
        return file.createReadStream({ start: 0, highWaterMark: 64 * 1024 });
      }),

    doubt: (sha256) => void proven.delete(sha256),

    async write(sha256, size, pieces) {
      if (sizes.has(sha256)) return false;
      // Without this check a file that is too large would remove all others and still find no room.
      if (!canHold(onDisk(size))) throw tooSmall(size);
      await makeRoom(onDisk(size));
      if (total + onDisk(size) > maxBytes) throw tooSmall(size);
      // The file counts before it is written, because another write may be making room meanwhile.
      note(sha256, size);
      writing.add(sha256);
      try {
        await files.write(pathOf(sha256), pieces, { isSynced: false });
        return true;
      } catch (error) {
        forget(sha256);
        throw error;
      } finally {
        writing.delete(sha256);
      }
    },

    async scan() {
      const before = new Set(sizes.keys());
      const found: { readonly sha256: string; readonly size: number; readonly mtimeMs: number }[] = [];
      for (const shard of await namesIn(root)) {
        for (const sha256 of await namesIn(join(root, shard))) {
          if (!isDigest(sha256) || before.delete(sha256) || sizes.has(sha256)) continue;
          const stats = await lstat(pathOf(sha256)).catch(() => undefined);
          if (stats?.isFile()) found.push({ sha256, size: stats.size, mtimeMs: stats.mtimeMs });
        }
      }
      for (const removed of before) if (!writing.has(removed)) forget(removed);
      found.sort((a, b) => a.mtimeMs - b.mtimeMs);
      const newer = [...sizes.keys()];
      for (const { sha256, size } of found) note(sha256, size);
      for (const sha256 of newer) touch(sha256);
      await makeRoom(0);
    },

    bytes: () => total,
  };
}

async function wholeContent(file: FileHandle): Promise<Buffer> {
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The digest of the file's content. The file stays open, unless reading it throws. */
async function contentDigest(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  try {
    const content = file.createReadStream({ start: 0, autoClose: false });
    for await (const piece of content as AsyncIterable<Buffer>) hash.update(piece);
  } catch (error) {
    await file.close();
    throw error;
  }
  return hash.digest("hex");
}

function tooSmall(size: number): Failure {
  return new Failure("settings", `LAST_GOOD_MAX_MB is too small: ${size} bytes find no room.`);
}

/** The size on the disk, where even a small file takes a whole block. */
function onDisk(size: number): number {
  return Math.ceil(Math.max(size, 1) / blockBytes) * blockBytes;
}

const blockBytes = 4096;
