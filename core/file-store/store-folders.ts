import { constants, mkdirSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { DiskFile } from "./disk.ts";
import { isErrno, unlessErrno } from "./file-error.ts";
import type { LinkGuard } from "./link-guard.ts";

/** Below the root nobody but the owner and the group may read, whatever the umask. A stricter umask takes further rights away. */
export const folderMode = 0o750;
export const fileMode = 0o640;

/** An open folder of the store. Its paths stay in this folder, even if it is moved or replaced by a link meanwhile. */
export interface StoreFolder {
  /** The path of a name in the folder, or of the folder itself. */
  at(name?: string): string;
  /** Makes the names in the folder durable. */
  sync(): Promise<void>;
}

export interface StoreFolders {
  /** Runs `work` with the folder open. Throws ENOENT when there is none, and a `Failure` for a link on the way. */
  within<Result>(folder: string, work: (folder: StoreFolder) => Promise<Result>): Promise<Result>;
  /** Runs `work` with the folder open, and first creates the folder, durably, if it is missing. */
  withinMade<Result>(folder: string, work: (folder: StoreFolder) => Promise<Result>): Promise<Result>;
}

export function createStoreFolders(guard: LinkGuard): StoreFolders {
  const shared = new Map<string, SharedFolder>();
  const making = new Map<string, Promise<void>>();

  /** Concurrent puts share an open folder, since a build writes thousands of files into one folder. */
  async function within<Result>(
    folder: string,
    work: (folder: StoreFolder) => Promise<Result>,
  ): Promise<Result> {
    const entry = shared.get(folder) ?? newEntry(folder);
    entry.users += 1;
    try {
      const handle = await entry.opening;
      if (!guard.hasProc) await guard.refuseLinks(folder);
      const path = guard.hasProc ? `/proc/self/fd/${handle.fd}` : folder;
      return await work({
        at: (name) => (name === undefined ? `${path}/` : `${path}/${name}`),
        sync: () => syncShared(entry, handle),
      });
    } catch (error) {
      // The folder may have been removed and made again, so the next caller opens it again.
      forget(folder, entry);
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.users === 0) {
        forget(folder, entry);
        const handle = await entry.opening.catch(() => undefined);
        await handle?.close();
      }
    }
  }

  function newEntry(folder: string): SharedFolder {
    const opening = guard.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    const entry: SharedFolder = { opening, users: 0, syncing: undefined, nextSync: undefined };
    shared.set(folder, entry);
    return entry;
  }

  function forget(folder: string, entry: SharedFolder): void {
    if (shared.get(folder) === entry) shared.delete(folder);
  }

  /** Concurrent puts share the making of a folder, since the first files of a snapshot all find it missing. */
  function made(folder: string): Promise<void> {
    const found = making.get(folder);
    if (found !== undefined) return found;
    const begun = make(folder).finally(() => making.delete(folder));
    making.set(folder, begun);
    return begun;
  }

  async function make(folder: string): Promise<void> {
    if (folder === guard.root) return await makeRoot(folder);
    await withinMade(dirname(folder), async (parent) => {
      makeOne(parent.at(basename(folder)), folderMode);
      await parent.sync();
    });
  }

  /**
   * Makes several attempts, because another process may remove the empty folder before the work is done, and a shared opening
   * may have begun before the folder was made.
   */
  async function withinMade<Result>(
    folder: string,
    work: (folder: StoreFolder) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await within(folder, work);
      } catch (error) {
        if (!isErrno(error, "ENOENT") || attempt > 10) throw error;
        await made(folder);
      }
    }
  }

  return { within, withinMade };
}

interface SharedFolder {
  readonly opening: Promise<DiskFile>;
  users: number;
  syncing: Promise<void> | undefined;
  nextSync: Promise<void> | undefined;
}

/**
 * Puts into one folder share a sync. A call that arrives during a sync joins the *next* one, since the present one may have begun
 * before the caller's name was there.
 */
function syncShared(entry: SharedFolder, handle: DiskFile): Promise<void> {
  const start = (): Promise<void> => {
    entry.syncing = handle.sync().finally(() => {
      entry.syncing = undefined;
    });
    return entry.syncing;
  };
  if (entry.syncing === undefined) return start();
  entry.nextSync ??= entry.syncing
    .catch(() => {})
    .then(() => {
      entry.nextSync = undefined;
      return start();
    });
  return entry.nextSync;
}

/**
 * `mkdir -p` for the root. Node's own `recursive` is not used, since it never ends where a parent exists but takes no folder
 * (/proc). The folders above the root do not belong to the store, so they get the mode that the umask gives.
 */
async function makeRoot(root: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = root; !(await isMade(folder)); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    makeOne(folder, folder === root ? folderMode : 0o777);
    const parent = await open(dirname(folder), "r");
    try {
      await parent.sync();
    } finally {
      await parent.close();
    }
  }
}

/** Makes the folder, unless there is something of this name. Synchronous for the same reason as naming a file, see `putNewFile`. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
}

async function isMade(folder: string): Promise<boolean> {
  return (await unlessErrno(stat(folder), "ENOENT"))?.isDirectory() === true;
}
