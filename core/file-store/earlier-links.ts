import { readdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ETag } from "../object-store.ts";
import { isErrno } from "./errno.ts";
import type { LinkGuard } from "./link-guard.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import type { StoreFolder } from "./store-folders.ts";

/**
 * Releases up to 0.1.0 noted each replacement as a hidden link beside the object, named after the tag of the version that it
 * replaced. A process killed between the link and the rename left the object's file behind its last link. So an object that
 * this release has not replaced yet is read by following its links, and the first replacement takes the last link over and
 * removes them all.
 */
export async function followLinks(
  guard: LinkGuard,
  path: string,
): Promise<{ readonly path: string; readonly file: OpenFile } | undefined> {
  let at = path;
  let file = await openFile(guard, at);
  while (file !== undefined) {
    const next = linkPath(path, file.etag);
    const successor = await openFile(guard, next);
    if (successor === undefined) return { path: at, file };
    await file.handle.close();
    at = next;
    file = successor;
  }
  return undefined;
}

/** Removes the links of all objects in the folder that `isMeant` names. */
export async function removeLinks(folder: StoreFolder, isMeant: (object: string) => boolean): Promise<void> {
  for (const name of await readdir(folder.at())) {
    const object = linkedObject(name);
    if (object === undefined || !isMeant(object)) continue;
    await unlink(folder.at(name)).catch((error: unknown) => {
      if (!isErrno(error, "ENOENT")) throw error;
    });
  }
}

function linkPath(path: string, etag: ETag): string {
  return join(dirname(path), `.next-${basename(path)}-${etag}`);
}

function linkedObject(fileName: string): string | undefined {
  if (!fileName.startsWith(".next-")) return undefined;
  // A tag has four parts.
  const name = fileName.slice(".next-".length).split("-").slice(0, -4).join("-");
  return name === "" ? undefined : name;
}
