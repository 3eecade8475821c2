import { constants, existsSync, lstatSync, readlinkSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { Failure } from "../failure.ts";
import { type Disk, type DiskFile, otherThread } from "./disk.ts";
import { isErrno, unlessErrno } from "./file-error.ts";

/**
 * Opens files below the store's root without following a symbolic link, neither in the last name nor in a folder on the way.
 * Otherwise anybody who may write into the store could make one tenant's key lead to another tenant's file, or to any file of the
 * machine. The root itself may be a link.
 *
 * Linux shows the path of an open file (`/proc/self/fd`), so the guard checks that path, and a link that is put there meanwhile
 * has no effect. On other systems the guard checks the folders after the opening. A link that is put there and removed within
 * those microseconds goes unnoticed.
 *
 * Hard links are allowed. Conditional writes make them, and the kernel lets users link only files that they may write
 * (`fs.protected_hardlinks`).
 */
export interface LinkGuard {
  readonly root: string;
  readonly disk: Disk;
  /** Whether the path `/proc/self/fd/N` leads to the file or folder that is open as N. */
  readonly hasProc: boolean;
  /** Opens with `flags`. Throws the system's errors, and a `Failure` for a link. */
  open(path: string, flags: number): Promise<DiskFile>;
  /**
   * The inode that has the name; `undefined` when there is none. The call is synchronous, so the name must be in a folder that
   * has just answered.
   */
  inodeAt(path: string): Promise<bigint | undefined>;
  /** Throws a `Failure` when the path or a folder on the way is a link. A missing path is no link. */
  refuseLinks(path: string): Promise<void>;
}

/** `hasProc` lets tests run as on other systems than Linux. A chroot may have no `/proc`. */
export function createLinkGuard(
  root: string,
  disk: Disk = otherThread,
  hasProc = process.platform === "linux" && existsSync("/proc/self/fd"),
): LinkGuard {
  /** The root without links. It can change while this process runs, if the root is a link. */
  let realRoot: string | undefined;

  function isAt(opened: string, path: string): boolean {
    if (realRoot === undefined) return false;
    const expected = realRoot + path.slice(root.length);
    // The kernel appends this when the name was removed or replaced after the opening. No key has a space.
    return opened === expected || opened === `${expected} (deleted)`;
  }

  async function refuseLinks(path: string): Promise<void> {
    let at = root;
    for (const name of path.slice(root.length + 1).split(sep)) {
      at = join(at, name);
      if (at === root) return;
      const found = await unlessErrno(lstat(at), "ENOENT", "ENOTDIR");
      if (found === undefined) return;
      if (found.isSymbolicLink()) throw linkFailure(path.slice(root.length + 1), at);
    }
  }

  async function verify(handle: DiskFile, path: string): Promise<void> {
    const opened = hasProc ? openedPath(handle.fd) : undefined;
    if (opened === undefined) return await refuseLinks(path);
    if (isAt(opened, path)) return;
    realRoot = await realpath(root);
    if (isAt(opened, path)) return;
    await refuseLinks(path);
    const text = `${path} was opened as ${opened}: it was moved meanwhile; try again.`;
    throw new Failure("store_unavailable", text);
  }

  return {
    root,
    disk,
    hasProc,
    refuseLinks,
    async open(path, flags) {
      const noFollow = path === root ? 0 : constants.O_NOFOLLOW;
      let handle: DiskFile;
      try {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer and block a thread.
        handle = await disk.open(path, flags | noFollow | constants.O_NONBLOCK);
      } catch (error) {
        // With these errors systems report a link, where O_NOFOLLOW forbids one or O_DIRECTORY requires a folder.
        if (isErrno(error, "ELOOP", "EMLINK", "ENOTDIR")) await refuseLinks(path);
        throw error;
      }
      try {
        await verify(handle, path);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    // The kernel answers from memory, as it has just looked into the folder.
    async inodeAt(path) {
      return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
    },
  };
}

/** A synchronous call, since the kernel answers from memory. A call in another thread would take ten times as long. */
function openedPath(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

function linkFailure(key: string, link: string): Failure {
  return new Failure(
    "corrupt_document",
    `The store's folder cannot serve ${key}: ${link} is a symbolic link, and none below the store's root is followed. ` +
      "Remove it, or put what it points at in its place.",
  );
}
