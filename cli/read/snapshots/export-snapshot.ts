import { mkdir, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Manifest, type ResponseEntry, readEntry } from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { responsePath } from "../../../core/ground/object-key.ts";
import { printable } from "../../../core/ground/printable.ts";
import { isErrno } from "../../../core/store/file-store/store-folders.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { numberText } from "../../output/words.ts";
import { responsesOf } from "../../publish/snapshot/stored-snapshot.ts";
import { withNewFolder } from "../../shell/new-folder.ts";

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
 * Writes the snapshot's responses as plain files laid out like the URLs, each checked against the manifest,
 * into a new or an empty folder. Throws `usage` when it can't be written, `corrupt_document` when an object
 * is not what the manifest says; then nothing is left of it.
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
  // Fails where a file is: where `A` and `a` are the same name, one program would replace another.
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
