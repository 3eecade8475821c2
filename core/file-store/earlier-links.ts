import { basename, dirname, join } from "node:path";
import type { LinkGuard } from "./link-guard.ts";
import { type OpenFile, openFile } from "./open-file.ts";

/**
 * Releases up to 0.1.0 noted each replacement as a hidden link beside the object, named after the tag of the version that it
 * replaced. A process killed between the link and the rename left the object's file behind its last link. So an object that
 * this release has not replaced yet is read by following its links; its first replacement takes the last one over, and
 * `tidyFolders` removes them.
 */
export async function followLinks(
  guard: LinkGuard,
  path: string,
): Promise<{ readonly path: string; readonly file: OpenFile } | undefined> {
  let at = path;
  let file = await openFile(guard, at);
  while (file !== undefined) {
    const next = join(dirname(path), `${linkPrefix}${basename(path)}-${file.etag}`);
    const successor = await openFile(guard, next);
    if (successor === undefined) return { path: at, file };
    await file.handle.close();
    at = next;
    file = successor;
  }
  return undefined;
}

/** The object whose link has this name; `undefined` when it is no link's. */
export function linkedObject(name: string): string | undefined {
  if (!name.startsWith(linkPrefix)) return undefined;
  // A tag has four parts.
  return name.slice(linkPrefix.length).split("-").slice(0, -4).join("-") || undefined;
}

const linkPrefix = ".next-";
