import { type BigIntStats, closeSync, fdatasync, fstatSync, openSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import type { ETag, ObjectBody } from "../object-store.ts";
import { versionTag } from "./open-file.ts";
import { fileMode } from "./store-folders.ts";

/** A body up to this size is written in the event loop's own thread: into the page cache, in well under 0.1 ms. */
const maxDirectBytes = 64 * 1024;
const dataSync = promisify(fdatasync);

/**
 * Writes the body into a new file and waits until it is durable. Gives the tag of that version. Throws the system's errors,
 * and may then leave a part of it behind.
 *
 * Each hand-over to another thread costs more than the calls on a small file themselves, so of those only the sync,
 * which waits for the disk, is handed over. A large body would hold up everything else, so there each call is.
 */
export async function writeSyncedFile(path: string, body: ObjectBody): Promise<ETag> {
  return versionTag(await writeSynced(path, body), body.sha256);
}

async function writeSynced(path: string, body: ObjectBody): Promise<BigIntStats> {
  if (body.size <= maxDirectBytes) return await writeDirectly(path, body.bytes);
  const handle = await open(path, "wx", fileMode);
  try {
    await handle.writeFile(body.bytes);
    await handle.datasync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

async function writeDirectly(path: string, bytes: Buffer): Promise<BigIntStats> {
  const file = openSync(path, "wx", fileMode);
  try {
    // A disk that fills up takes a part of the bytes; the next call says why.
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written);
    }
    await dataSync(file);
    return fstatSync(file, { bigint: true });
  } finally {
    closeSync(file);
  }
}
