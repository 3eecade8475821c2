import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isErrno } from "../../core/file-store/file-error.ts";
import { assertOwnFolder, isOpenToOthers } from "./own-folder.ts";

/** W89: writes files that appear completely or not at all, and that only this user may read. */
export interface AtomicFiles {
  /** `isSynced`: the content reaches the disk before the name does. */
  write(path: string, pieces: Pieces, options: { readonly isSynced: boolean }): Promise<void>;
  /** Removes files that killed gateways have left half-written. */
  sweep(): Promise<void>;
}

export type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** `onEmptied` is called when somebody has removed the folder's content. */
export function createAtomicFiles(folder: string, onEmptied: () => void): AtomicFiles {
  const temporaries = join(folder, "tmp");
  let wasThere = false;
  const onMissing = (): void => {
    if (wasThere) onEmptied();
  };
  return {
    async write(path, pieces, { isSynced }) {
      const temporary = join(temporaries, randomBytes(12).toString("hex"));
      await closeToOthers(folder);
      try {
        const file = await inFolder(temporaries, () => open(temporary, "wx", 0o600), onMissing);
        wasThere = true;
        try {
          for await (const piece of pieces) await file.writeFile(piece);
          if (isSynced) await file.sync();
        } finally {
          await file.close();
        }
        await inFolder(dirname(path), () => rename(temporary, path));
      } catch (error) {
        // The removal may fail for the same reason. The first error is the one to report.
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
    },

    async sweep() {
      for (const name of await namesIn(temporaries)) {
        const path = join(temporaries, name);
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined && Date.now() - found.mtimeMs > leftoverAgeMs)
          await rm(path, { force: true });
      }
    },
  };
}

/** W100: checks owner and mode again, since both may have changed after the start. A missing folder is made later. */
async function closeToOthers(folder: string): Promise<void> {
  try {
    const found = await lstat(folder);
    assertOwnFolder(folder, found);
    if (isOpenToOthers(found)) await chmod(folder, 0o700);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

/** The names in the folder; none when it is missing or no folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT") || isErrno(error, "ENOTDIR")) return [];
    throw error;
  }
}

/** Runs `use`, and runs it again after making the folder if that was missing. */
async function inFolder<Result>(
  folder: string,
  use: () => Promise<Result>,
  onMissing: () => void = () => {},
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    onMissing();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await use();
  }
}

/** No write takes this long. */
const leftoverAgeMs = 3_600_000;
