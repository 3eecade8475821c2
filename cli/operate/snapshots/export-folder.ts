import { lstat, mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Failure } from "../../../core/failure.ts";
import { isErrno, unlessErrno } from "../../../core/file-store/file-error.ts";
import { placeFailure } from "../../shell/place-failure.ts";

/**
 * Lets `fill` write into a folder beside `out`, which is renamed to `out` at the end. So `out` is complete or not there, and a
 * failure leaves nothing behind, not even parent folders. `out` may be missing or empty. Throws `usage` for anything else, and
 * when nothing can be written there.
 */
export async function withNewFolder(out: string, fill: (partial: string) => Promise<void>): Promise<string> {
  const directory = resolve(out);
  const parent = dirname(directory);
  const partial = join(parent, `.${basename(directory)}.partial-${process.pid}`);
  const made: string[] = [];
  try {
    await assertFree(directory);
    await makeFolders(parent, made);
    await mkdir(partial);
    await fill(partial);
    // Replaces an empty folder, and fails when somebody put something there meanwhile.
    await rename(partial, directory);
    return directory;
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    // Only empty folders are removed, since somebody else may have used them meanwhile.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => {});
    throw placeFailure(
      error,
      `The folder ${directory}`,
      "Nothing was written; mend it, or choose another with --out.",
    );
  }
}

async function assertFree(directory: string): Promise<void> {
  const found = await unlessErrno(lstat(directory), "ENOENT");
  if (found === undefined) return;
  if (found.isSymbolicLink()) {
    throw refusal(directory, "is a symbolic link", "Name the folder that it points to");
  }
  if (!found.isDirectory()) throw refusal(directory, "is no folder", "Remove it");
  if ((await readdir(directory)).length > 0) throw refusal(directory, "is not empty", "Empty it");
}

function refusal(directory: string, what: string, remedy: string): Failure {
  const text = `${directory} ${what}; nothing was written. ${remedy}, or choose another with --out.`;
  return new Failure("usage", text);
}

/**
 * Makes the missing folders and lists them in `made`. `recursive` is not used, since Node.js never ends where the system answers
 * ENOENT below an existing parent, as in /proc.
 */
async function makeFolders(folder: string, made: string[]): Promise<void> {
  const found = await unlessErrno(stat(folder), "ENOENT");
  if (found?.isDirectory()) return;
  if (found !== undefined) throw refusal(folder, "is no folder", "Remove it");
  await makeFolders(dirname(folder), made);
  try {
    await mkdir(folder);
    made.push(folder);
  } catch (error) {
    // Somebody else made it meanwhile, or a symbolic link that leads nowhere has the name: the next step finds out.
    if (!isErrno(error, "EEXIST")) throw error;
  }
}
