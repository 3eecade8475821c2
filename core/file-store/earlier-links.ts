import { basename, dirname, join } from "node:path";
import type { ETag } from "../object-store.ts";
import type { LinkGuard } from "./link-guard.ts";
import { type OpenFile, openFile } from "./open-file.ts";

/**
 * Releases up to 0.1.0 recorded each replacement as a hidden link beside the object, named after the tag of the replaced version.
 * If a process was killed between the link and the rename, the newest content is in the last link and not in the object's
 * file. So an object that this release has not replaced yet is read by following its links. Its first replacement takes over
 * the last link, and `tidyFolders` removes the links.
 */
export async function followLinks(
  guard: LinkGuard,
  path: string,
): Promise<{ readonly path: string; readonly file: OpenFile } | undefined> {
  let at = path;
  let file = await openFile(guard, at);
  while (file !== undefined) {
    const next = linkAfter(path, file.etag);
    const successor = await openFile(guard, next);
    if (successor === undefined) return { path: at, file };
    await file.handle.close();
    at = next;
    file = successor;
  }
  return undefined;
}

/** The link that recorded how the version with this tag was replaced. */
export function linkAfter(path: string, etag: ETag): string {
  return join(dirname(path), `${linkPrefix}${basename(path)}-${etag}`);
}

/** The object to which a link of this name belongs; `undefined` when the name is no link's. */
export function linkedObject(name: string): string | undefined {
  if (!name.startsWith(linkPrefix)) return undefined;
  // The tag at the end of the name has four parts.
  return name.slice(linkPrefix.length).split("-").slice(0, -4).join("-") || undefined;
}

const linkPrefix = ".next-";
