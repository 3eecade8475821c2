import { closeSync, constants, copyFileSync, fstatSync, lstatSync, readSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { sha256Hex } from "../object-body.ts";
import type { ETag } from "../object-store.ts";
import type { WriteFile } from "./durable-files.ts";
import { versionsFolder } from "./head.ts";
import type { LinkGuard } from "./link-guard.ts";
import { isNamed, versionTag } from "./open-file.ts";
import { maxDirectBytes } from "./synced-file.ts";
import type { Versions } from "./versions.ts";

/**
 * Runs `use` with what writes a copy of the object at `path` as it is now; `undefined` when there is none.
 *
 * Two files, never two names of one: an editor that saves in place must change the one it has opened only. Where the
 * file system can (Btrfs, XFS, APFS, ...) they share their blocks until one is changed.
 */
export async function withCurrentFile<Result>(
  guard: LinkGuard,
  versions: Versions,
  path: string,
  use: (copied: WriteFile) => Promise<Result>,
): Promise<Result | undefined> {
  const small = openSmallVersion(guard, path);
  if (small !== undefined) {
    const { file, etag } = small;
    try {
      return await use(async (to) => {
        copyFileSync(`/proc/self/fd/${file}`, to, copyMode);
        return tagOfCopy(to, etag);
      });
    } finally {
      closeSync(file);
    }
  }
  const version = await versions.open(path);
  if (version === undefined) return undefined;
  const { handle, etag } = version;
  try {
    // What was opened has passed the guard; a name could lead elsewhere by now.
    const source = guard.hasProc ? `/proc/self/fd/${handle.fd}` : path;
    return await use(async (to) => {
      await copyFile(source, to, copyMode);
      return tagOfCopy(to, etag);
    });
  } finally {
    await handle.close();
  }
}

const copyMode = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/**
 * The object when it is small and was never replaced under a condition, opened in the event loop's own thread: a tree of small files is copied
 * in a third of the time. `undefined` for everything else, which `Versions` opens.
 */
function openSmallVersion(
  guard: LinkGuard,
  path: string,
): { readonly file: number; readonly etag: ETag } | undefined {
  const file = guard.openDirectly(path);
  if (file === undefined) return undefined;
  let isUsable = false;
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile() || stat.size > maxDirectBytes) return undefined;
    const bytes = Buffer.allocUnsafe(Number(stat.size));
    // A file that is being cut or has holes in its reading is no object of this driver.
    if (readSync(file, bytes, 0, bytes.length, 0) !== bytes.length) return undefined;
    const etag = versionTag(stat, sha256Hex(bytes));
    isUsable = !isNamed(versionsFolder(path));
    return isUsable ? { file, etag } : undefined;
  } finally {
    if (!isUsable) closeSync(file);
  }
}

/** The content is the source's, so its digest is, too. */
function tagOfCopy(path: string, source: ETag): ETag {
  return versionTag(lstatSync(path, { bigint: true }), source.slice(source.lastIndexOf("-") + 1));
}
