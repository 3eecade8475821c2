import { constants, mkdirSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { isErrno } from "./file-error.ts";
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
  readonly guard: LinkGuard;
  /** Runs `work` with the folder open. Throws ENOENT when there is none, and a `Failure` for a link on the way. */
  within<Result>(folder: string, work: (folder: StoreFolder) => Promise<Result>): Promise<Result>;
  /** Runs `work` with the folder open, and first creates the folder, durably, if it is missing. */
  withinMade<Result>(folder: string, work: (folder: StoreFolder) => Promise<Result>): Promise<Result>;
}

export function createStoreFolders(guard: LinkGuard): StoreFolders {
  const shared = new Map<string, SharedFolder>();

  /** Concurrent puts share an open folder, since a build writes thousands of files into one folder. */
  async function within<Result>(
    folder: string,
    work: (folder: StoreFolder) => Promise<Result>,
  ): Promise<Result> {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    const entry = shared.get(folder) ?? new SharedFolder(guard.open(folder, flags));
    shared.set(folder, entry);
    const forget = (): void => {
      if (shared.get(folder) === entry) shared.delete(folder);
    };
    entry.users += 1;
    try {
      const handle = await entry.opening;
      if (!guard.hasProc) await guard.refuseLinks(folder);
      const path = guard.hasProc ? `/proc/self/fd/${handle.fd}` : folder;
      return await work({ at: (name = "") => `${path}/${name}`, sync: () => entry.sync(handle) });
    } catch (error) {
      // The folder may have been removed and made again, so the next caller opens it again.
      forget();
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.users === 0) {
        forget();
        await (await entry.opening.catch(() => undefined))?.close();
      }
    }
  }

  async function make(folder: string): Promise<void> {
    if (folder === guard.root) return await makeRoot(folder, folderMode);
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
        await make(folder);
      }
    }
  }

  return { guard, within, withinMade };
}

class SharedFolder {
  readonly opening: Promise<FileHandle>;
  users = 0;
  #running = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(opening: Promise<FileHandle>) {
    this.opening = opening;
  }

  /**
   * Puts into one folder share a sync. A call that arrives during a sync joins the *next* one, since the present one may have
   * begun before the caller's name was there.
   */
  sync(handle: FileHandle): Promise<void> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#running = handle.sync();
        return this.#running;
      });
    return this.#next;
  }
}

/**
 * `mkdir -p` for the root. Node's own `recursive` is not used, since it never ends where a parent exists but takes no folder
 * (/proc). The folders above the root do not belong to the store, so they get the mode that the umask gives.
 */
async function makeRoot(folder: string, mode: number): Promise<void> {
  try {
    makeOne(folder, mode);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    await makeRoot(dirname(folder), 0o777);
    makeOne(folder, mode);
  }
  const parent = await open(dirname(folder), "r");
  await parent.sync().finally(() => parent.close());
}

/** Makes the folder, unless there is something of this name. Synchronous for the same reason as naming a file, see `putNewFile`. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
}
