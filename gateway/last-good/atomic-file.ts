import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isErrno } from "../../core/file-store/file-error.ts";
import { assertOwnFolder, isOpenToOthers } from "./own-folder.ts";

/** W89: files that are there as a whole or not at all, for this user alone. */
export interface AtomicFiles {
  /** `isSynced`: its content is on the disk before its name is. */
  write(path: string, pieces: Pieces, options: { readonly isSynced: boolean }): Promise<void>;
  /** Removes what killed gateways have left half-written. */
  sweep(): Promise<void>;
}

export type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** `onEmptied`: somebody has removed what was there to write into. */
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
        // What hinders the write may hinder this, and is what is to be said.
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

/** W100: what was so at the start may have been changed since. What is missing is made with its first file. */
async function closeToOthers(folder: string): Promise<void> {
  try {
    const found = await lstat(folder);
    assertOwnFolder(folder, found);
    if (isOpenToOthers(found)) await chmod(folder, 0o700);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

/** None of a folder that is not there, or that is none. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT") || isErrno(error, "ENOTDIR")) return [];
    throw error;
  }
}

/** Runs what needs the folder; made only when it proves to be missing, also when somebody has emptied it meanwhile. */
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

/** No write takes as long. */
const leftoverAgeMs = 3_600_000;
