import { constants, type Dirent, existsSync, lstatSync, readlinkSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { Failure } from "../failure.ts";
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
  /** Whether the path `/proc/self/fd/N` leads to the file or folder that is open as N. */
  readonly hasProc: boolean;
  /** Opens with `flags`. Throws the system's errors, and a `Failure` for a link. */
  open(path: string, flags: number): Promise<FileHandle>;
  entries(folder: string): Promise<Dirent[]>;
  /** The inode that has the name, if any. Synchronous below, so the name must be in a folder that has just answered. */
  inodeAt(path: string): Promise<bigint | undefined>;
  /** Throws a `Failure` when the path or a folder on the way is a link. A missing path is no link. */
  refuseLinks(path: string): Promise<void>;
}

/** `hasProc` lets tests run as on other systems than Linux. A chroot may have no `/proc`. */
export function createLinkGuard(
  root: string,
  hasProc = process.platform === "linux" && existsSync("/proc/self/fd"),
): LinkGuard {
  /** The root without links. It can change while this process runs, if the root is a link. */
  let realRoot: string | undefined;

  function isAt(opened: string, path: string): boolean {
    const expected = realRoot === undefined ? undefined : realRoot + path.slice(root.length);
    // The kernel appends this when the name was removed or replaced after the opening. No key has a space.
    return opened === expected || opened === `${expected} (deleted)`;
  }

  async function refuseLinks(path: string): Promise<void> {
    const key = path.slice(root.length + 1);
    let at = root;
    for (const name of key === "" ? [] : key.split(sep)) {
      at = join(at, name);
      const found = await unlessErrno(lstat(at), "ENOENT", "ENOTDIR");
      if (found === undefined) return;
      if (!found.isSymbolicLink()) continue;
      const text = `${at} is a symbolic link, and none below the store's root is followed. Remove it, or put what it points at in its place`;
      throw new Failure("corrupt_document", `The store's folder cannot serve ${key}: ${text}.`);
    }
  }

  async function verify(handle: FileHandle, path: string): Promise<void> {
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
    hasProc,
    refuseLinks,
    async open(path, flags) {
      const noFollow = path === root ? 0 : constants.O_NOFOLLOW;
      let handle: FileHandle | undefined;
      try {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer and block a thread.
        handle = await open(path, flags | noFollow | constants.O_NONBLOCK);
        await verify(handle, path);
        return handle;
      } catch (error) {
        await handle?.close();
        // With these errors systems report a link, where O_NOFOLLOW forbids one or O_DIRECTORY requires a folder.
        if (isErrno(error, "ELOOP", "EMLINK", "ENOTDIR")) await refuseLinks(path);
        throw error;
      }
    },
    entries: (folder) => readdir(folder, { withFileTypes: true }),
    // The kernel answers from memory, as it has just looked into the folder.
    inodeAt: async (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino,
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
