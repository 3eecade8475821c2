import { constants, copyFileSync, lstatSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import type { WriteFile } from "./durable-files.ts";
import type { LinkGuard } from "./link-guard.ts";
import { maxDirectBytes } from "./synced-file.ts";
import { openCurrentVersion, versionTag } from "./version-tag.ts";

/**
 * Runs `use` with what writes a copy of the object at `path` as it is now; `undefined` when there is none.
 *
 * Two files, never two names of one: an editor that saves in place must change the one it has opened only. Where the
 * file system can (Btrfs, XFS, APFS, ...) they share their blocks until one is changed.
 */
export async function withCurrentFile<Result>(
  guard: LinkGuard,
  path: string,
  use: (copied: WriteFile) => Promise<Result>,
): Promise<Result | undefined> {
  const version = await openCurrentVersion(guard, path);
  if (version === undefined) return undefined;
  const { handle, size, etag } = version;
  try {
    // What was opened has passed the guard; a name could lead elsewhere by now.
    const source = guard.hasProc ? `/proc/self/fd/${handle.fd}` : path;
    return await use(async (to) => {
      if (size <= maxDirectBytes) copyFileSync(source, to, copyMode);
      else await copyFile(source, to, copyMode);
      return versionTag(lstatSync(to, { bigint: true }), etag.slice(etag.lastIndexOf("-") + 1));
    });
  } finally {
    await handle.close();
  }
}

const copyMode = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
