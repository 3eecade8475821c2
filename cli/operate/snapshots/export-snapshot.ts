import { type FileHandle, mkdir, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { forEachBounded } from "../../../core/bounded-work.ts";
import { Failure } from "../../../core/failure.ts";
import { isErrno } from "../../../core/file-store/file-error.ts";
import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import { responsePath } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readEntry } from "../../../core/read-entry.ts";
import { responsesOf } from "../../publish/snapshot/stored-snapshot.ts";
import { withNewFolder } from "./export-folder.ts";

export interface ExportedSnapshot {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
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
): Promise<ExportedSnapshot> {
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
  const file = await openNew(path);
  try {
    const fault = await readEntry(store, entry, signal, (piece) => file.writeFile(piece));
    if (fault === undefined) return;
    throw new Failure(
      "corrupt_document",
      `${entry.key}: ${fault}; nothing was written. \`snapshot verify\` names all such objects.`,
    );
  } finally {
    await file.close();
  }
}

/** Fails when the file exists: on a file system that takes `A` and `a` for the same, one program would replace another. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx");
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
    throw new Failure(
      "usage",
      `${basename(path)} and another file differ only in case, which this file system can't hold; nothing was written. Export to another one.`,
      { cause: error },
    );
  }
}
