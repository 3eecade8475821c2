import { existsSync, readlinkSync } from "node:fs";
import { constants, type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { Failure } from "../failure.ts";
import { isErrno, unlessErrno } from "./file-error.ts";

/**
 * Opens what lies below the store's root without following a symbolic link: neither the last name nor a folder on the
 * way. Otherwise whoever may write into the store could make one tenant's key stand for another tenant's file, or for
 * a file of the machine. The root itself may be a link.
 *
 * Linux says under which path a file was really opened (`/proc/self/fd`), so there what was opened is judged, and a link
 * that is swapped in meanwhile gains nothing. Elsewhere the folders are looked at after the opening: who swaps a link
 * in and out again within those microseconds goes unnoticed.
 *
 * Hard links are taken: conditional writes make them, and the kernel lets nobody link what he can't write himself
 * (`fs.protected_hardlinks`).
 */
export interface LinkGuard {
  readonly root: string;
  /** Whether the path `/proc/self/fd/N` leads to the very file or folder that is open as N. */
  readonly hasProc: boolean;
  /** Opens with `flags`. Throws the system's errors, and a `Failure` for a link. */
  open(path: string, flags: number): Promise<FileHandle>;
  /** Throws a `Failure` when the path or a folder on the way to it is a link; a missing one is none. */
  refuseLinks(path: string): Promise<void>;
}

/** `hasProc`: for tests of what other systems than Linux do. */
export function createLinkGuard(root: string, hasProc = systemHasProc()): LinkGuard {
  /** Where the root really is. It may be a link that is pointed elsewhere while this process runs. */
  let realRoot: string | undefined;

  function isAt(opened: string, path: string): boolean {
    if (realRoot === undefined) return false;
    const expected = realRoot + path.slice(root.length);
    // The kernel adds the word when the name was removed or replaced after the opening; no key has a space.
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
      let handle: FileHandle;
      try {
        // Without O_NONBLOCK the opening of a named pipe would wait for a writer, and hold a thread as long.
        handle = await open(path, flags | noFollow | constants.O_NONBLOCK);
      } catch (error) {
        // What systems say of a link where O_NOFOLLOW forbids one, or O_DIRECTORY wants a folder.
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
  };
}

/** A chroot may lack it. */
function systemHasProc(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd");
}

/** The kernel answers from memory, so there is nothing to wait for; a call in another thread takes ten times as long. */
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
