import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ETag } from "../object-store.ts";
import { isErrno } from "./errno.ts";
import { folderMode, type StoreFolder, type StoreFolders } from "./store-folders.ts";

/** Leftovers of killed processes are removed after this time; no put takes as long. */
const leftoverAgeMs = 24 * 3600 * 1000;

/** Writes a new file of this path, as durable as it is to be, and gives the tag that says which version it is. */
export type WriteFile = (path: string) => Promise<ETag>;

/** A file that is complete and has no public name yet. */
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
  /** Runs `use` with the temporary file that `write` makes, and removes that name afterwards. */
  withTemporary<Result>(write: WriteFile, use: (file: TemporaryFile) => Promise<Result>): Promise<Result>;
  /** Gives the file a second name, durably; false when the name is taken. Creates the folders on the way. */
  linkNew(from: TemporaryFile, to: string): Promise<boolean>;
  /** Moves the file over whatever has the name, durably. Creates the folders on the way. */
  replace(from: TemporaryFile, to: string): Promise<void>;
  /** The same without waiting for the disk. */
  replaceUnsynced(from: TemporaryFile, to: string): Promise<void>;
  /**
   * Makes the folder with all that `fill` puts in it, at once; leaves one that has something in it as it is. Throws ENOENT when
   * the folder that it is to be in is missing. `at`: the path of a name in it. Not durable by itself.
   */
  makeFolder(to: string, fill: (at: (name: string) => string) => Promise<void>): Promise<void>;
}

export function createDurableFiles(root: string, folders: StoreFolders): DurableFiles {
  const temporaryFolder = join(root, ".tmp");
  let counter = 0;
  let swept: Promise<void> | undefined;

  /** Runs `use` with a path in the temporary folder that nothing has. */
  async function withName<Result>(
    use: (path: string) => Promise<PromiseSettledResult<Result>>,
  ): Promise<Result> {
    const outcome = await folders.withinMade(temporaryFolder, async (folder) => {
      // Whoever comes after a failure tries again.
      swept ??= sweepFolder(folder).catch((error: unknown) => {
        swept = undefined;
        throw error;
      });
      await swept;
      counter += 1;
      return await use(folder.at(`${process.pid}-${process.hrtime.bigint().toString(36)}-${counter}`));
    });
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }

  return {
    withTemporary: (write, use) =>
      withName(async (path) => {
        try {
          const etag = await write(path);
          // Given back, not thrown: a name that is missing elsewhere must not make the folder be opened again.
          return await settled(use({ path, etag }));
        } finally {
          removeName(path);
        }
      }),

    makeFolder: (to, fill) =>
      withName(async (path) => {
        mkdirSync(path, folderMode);
        try {
          await fill((name) => join(path, name));
          const moving = folders.within(dirname(to), async (folder) =>
            renameSync(path, folder.at(basename(to))),
          );
          return await settled(
            moving.catch((error: unknown) => {
              if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
            }),
          );
        } finally {
          rmSync(path, { recursive: true, force: true });
        }
      }),

    async linkNew(from, to) {
      try {
        await named(folders, to, (path) => linkSync(from.path, path));
        return true;
      } catch (error) {
        if (isErrno(error, "EEXIST")) return false;
        throw error;
      }
    },

    replace: (from, to) => named(folders, to, (path) => renameSync(from.path, path)),
    replaceUnsynced: (from, to) =>
      folders.withinMade(dirname(to), async (folder) => renameSync(from.path, folder.at(basename(to)))),
  };
}

async function settled<Result>(work: Promise<Result>): Promise<PromiseSettledResult<Result>> {
  try {
    return { status: "fulfilled", value: await work };
  } catch (reason) {
    return { status: "rejected", reason };
  }
}

/** Names are changed in the event loop's own thread, like small files: see `writeSyncedFile`. */
function removeName(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // It was renamed, or never made.
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

/** Runs a naming operation in the folder of `path`, creating the folder first if it is not there. */
function named(folders: StoreFolders, path: string, operation: (path: string) => void): Promise<void> {
  return folders.withinMade(dirname(path), async (folder) => {
    operation(folder.at(basename(path)));
    await folder.sync();
  });
}

async function sweepFolder(folder: StoreFolder): Promise<void> {
  for (const name of await readdir(folder.at())) {
    const path = folder.at(name);
    try {
      if (Date.now() - (await lstat(path)).mtimeMs > leftoverAgeMs) await rm(path, { recursive: true });
    } catch (error) {
      // Another process swept it first.
      if (!isErrno(error, "ENOENT")) throw error;
    }
  }
}
