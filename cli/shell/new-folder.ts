import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Failure } from "../../core/ground/failure.ts";
import { unlessErrno } from "../../core/store/file-store/store-folders.ts";
import { placeFailure } from "./place-failure.ts";

/**
 * Lets `fill` write into a folder beside `out`, which is renamed to `out` at the end. So `out`, which may be
 * missing or empty, is complete or as it was. Throws `usage` when nothing can be written there.
 */
export async function withNewFolder(out: string, fill: (partial: string) => Promise<void>): Promise<string> {
  const directory = resolve(out);
  const parent = dirname(directory);
  const partial = join(parent, `.${basename(directory)}.partial-${process.pid}`);
  let firstMade: string | undefined;
  try {
    await assertFree(directory);
    firstMade = await mkdir(parent, { recursive: true });
    await mkdir(partial);
    await fill(partial);
    // Replaces an empty folder, and fails when somebody put something there meanwhile.
    await rename(partial, directory);
    return directory;
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    // Only empty folders are removed, since somebody else may have used them meanwhile.
    for (
      let made = parent;
      firstMade !== undefined && made.length >= firstMade.length;
      made = dirname(made)
    ) {
      await rmdir(made).catch(() => {});
    }
    const advice = "Nothing was written; mend it, or choose another with --out.";
    throw placeFailure(error, `The folder ${directory}`, advice);
  }
}

async function assertFree(directory: string): Promise<void> {
  const found = await unlessErrno(lstat(directory), "ENOENT");
  if (found === undefined || (found.isDirectory() && (await readdir(directory)).length === 0)) return;
  const what = found.isDirectory() ? "is not empty" : "is no folder";
  throw new Failure("usage", `${directory} ${what}; nothing was written. Choose another with --out.`);
}
