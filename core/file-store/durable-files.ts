import { type BigIntStats, createReadStream } from "node:fs";
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ETag, ObjectBody } from "../object-store.ts";
import { isErrno } from "./errno.ts";
import { versionTag } from "./version-tag.ts";

/** Leftovers of killed processes are removed after this time; no put takes as long. */
const leftoverAgeMs = 24 * 3600 * 1000;

/** A file that is complete and durable, and has no public name yet. */
export interface TemporaryFile {
  readonly path: string;
  /** The tag that the object will have under whatever name the file is given. */
  readonly etag: ETag;
}

/**
 * Files that survive a power cut: content before name, name before success. All temporary files live in one
 * hidden folder of the store, so that what a killed process leaves behind is found and removed in one place.
 */
export interface DurableFiles {
  /** Writes the body to a temporary file, its content synced. */
  writeTemporary(body: ObjectBody): Promise<TemporaryFile>;
  /** Gives the file a second name, durably; false when the name is taken. Creates the folders on the way. */
  linkNew(from: string, to: string): Promise<boolean>;
  /** Moves the file over whatever has the name, durably. Creates the folders on the way. */
  replace(from: string, to: string): Promise<void>;
  /** Removes old hidden files of the folder whose name begins with `prefix`. */
  sweep(folder: string, prefix: string): Promise<void>;
}

export function createDurableFiles(root: string): DurableFiles {
  const temporaryFolder = join(root, ".tmp");
  const syncFolder = createFolderSync();
  let counter = 0;
  let ready: Promise<void> | undefined;

  async function prepare(): Promise<void> {
    await makeFolder(temporaryFolder, syncFolder);
    await sweep(temporaryFolder, "");
  }

  return {
    async writeTemporary(body) {
      ready ??= prepare();
      await ready;
      counter += 1;
      const path = join(temporaryFolder, `${process.pid}-${process.hrtime.bigint().toString(36)}-${counter}`);
      try {
        return { path, etag: versionTag(await writeSynced(path, body), body.sha256) };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },

    async linkNew(from, to) {
      try {
        await inFolder(to, syncFolder, () => link(from, to));
        return true;
      } catch (error) {
        if (isErrno(error, "EEXIST")) return false;
        throw error;
      }
    },

    replace: (from, to) => inFolder(to, syncFolder, () => rename(from, to)),
    sweep,
  };
}

async function writeSynced(path: string, body: ObjectBody): Promise<BigIntStats> {
  const handle = await open(path, "wx", 0o644);
  try {
    if (body.kind === "bytes") await handle.writeFile(body.bytes);
    else for await (const chunk of createReadStream(body.path)) await handle.writeFile(chunk as Buffer);
    await handle.datasync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

/** Runs a naming operation in the folder of `path`, creating the folder first if it is not there. */
async function inFolder(
  path: string,
  syncFolder: (folder: string) => Promise<void>,
  operation: () => Promise<void>,
): Promise<void> {
  const folder = dirname(path);
  // Another process may remove a folder that it emptied between our mkdir and the operation.
  for (let attempt = 1; ; attempt += 1) {
    try {
      await operation();
      break;
    } catch (error) {
      if (!isErrno(error, "ENOENT") || attempt > 10) throw error;
      await makeFolder(folder, syncFolder);
    }
  }
  await syncFolder(folder);
}

/**
 * `mkdir -p` whose new folders are durable: each one's name is synced in its parent. Not Node's own `recursive`, which
 * never ends where a parent exists and still takes no folder (/proc).
 */
async function makeFolder(folder: string, syncFolder: (folder: string) => Promise<void>): Promise<void> {
  if (await isMade(folder)) return;
  await makeFolder(dirname(folder), syncFolder);
  await mkdir(folder).catch((error: unknown) => {
    if (!isErrno(error, "EEXIST")) throw error;
  });
  await syncFolder(dirname(folder));
}

async function isMade(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
}

/**
 * Syncs a folder. Many puts into one folder share a sync: a call that arrives while one is under way joins the
 * *next* one, since the one under way may have begun before the caller's name was there.
 */
function createFolderSync(): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  function start(folder: string): Promise<void> {
    const sync = fsyncFolder(folder).finally(() => running.delete(folder));
    running.set(folder, sync);
    return sync;
  }

  return (folder) => {
    const current = running.get(folder);
    if (current === undefined) return start(folder);
    const queued = waiting.get(folder);
    if (queued !== undefined) return queued;
    const next = current
      .catch(() => {})
      .then(() => {
        waiting.delete(folder);
        return start(folder);
      });
    waiting.set(folder, next);
    return next;
  };
}

async function fsyncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Emptied and removed by another process, so there is no name left to make durable.
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

async function sweep(folder: string, prefix: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > leftoverAgeMs) await unlink(path);
    } catch (error) {
      // Another process swept it first.
      if (!isErrno(error, "ENOENT")) throw error;
    }
  }
}
