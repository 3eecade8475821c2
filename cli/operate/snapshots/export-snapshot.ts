import { lstat, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { forEachBounded } from "../../../core/bounded-work.ts";
import { Failure } from "../../../core/failure.ts";
import { isErrno, unlessErrno } from "../../../core/file-store/store-folders.ts";
import { type Manifest, type ResponseEntry, readEntry } from "../../../core/manifest.ts";
import { responsePath } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { printable } from "../../../core/printable.ts";
import { numberText } from "../../output/words.ts";
import { responsesOf } from "../../publish/snapshot/stored-snapshot.ts";
import { placeFailure } from "../../shell/place-failure.ts";

export interface ExportedFolder {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
}

/** Says where `what` is now. */
export function exportedText(what: string, { directory, files, bytes }: ExportedFolder): string {
  return `${what}: ${numberText(files)} files, ${numberText(bytes)} bytes in ${printable(directory)}\n`;
}

const maxParallelFiles = 16;

/**
 * Writes the snapshot's responses as plain files laid out like the URLs, each checked against the manifest, into a new or
 * an empty folder. Throws `usage` when it can't be written, `corrupt_document` when an object is not what the manifest
 * says; then nothing is left of it.
 */
export async function exportSnapshot(
  store: ObjectStore,
  manifest: Manifest,
  out: string,
  signal: AbortSignal,
): Promise<ExportedFolder> {
  let files = 0;
  let bytes = 0;
  const directory = await withNewFolder(out, (partial) =>
    forEachBounded(responsesOf(manifest), maxParallelFiles, async ({ name, entry }) => {
      await writeResponse(store, entry, join(partial, responsePath(name)), signal);
      files += 1;
      bytes += entry.size;
    }),
  );
  return { directory, files, bytes };
}

async function writeResponse(
  store: ObjectStore,
  entry: ResponseEntry,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Fails where a file is: on a file system that takes `A` and `a` for the same, one program would replace another.
  const file = await open(path, "wx").catch((error: unknown) => {
    if (!isErrno(error, "EEXIST")) throw error;
    const what = `${basename(path)} and another file differ only in case, which this file system can't hold`;
    throw new Failure("usage", `${what}; nothing was written. Export to another one.`, { cause: error });
  });
  try {
    const fault = await readEntry(store, entry, signal, (piece) => file.writeFile(piece));
    if (fault === undefined) return;
    const what = `${entry.key}: ${fault}; nothing was written.`;
    throw new Failure("corrupt_document", `${what} \`snapshot verify\` names all such objects.`);
  } finally {
    await file.close();
  }
}

/**
 * Lets `fill` write into a folder beside `out`, which is renamed to `out` at the end. So `out`, which may be missing or empty, is
 * complete or as it was. Throws `usage` when nothing can be written there.
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
