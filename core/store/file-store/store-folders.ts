import { constants, type Dirent, existsSync, lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { Failure } from "../../ground/failure.ts";

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

/** The result of the work; `undefined` when it fails with one of these operating-system errors. */
export async function unlessErrno<Result>(
  work: Promise<Result>,
  ...codes: readonly string[]
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isErrno(error, ...codes)) return undefined;
    throw error;
  }
}

/** The failure for a file system's error at an object or prefix: what is wrong, where, how to mend it. */
export function folderFailure(key: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  if (cause instanceof Error && cause.name === "AbortError") {
    return new Failure("interrupted", `Interrupted at ${key}.`, { cause });
  }
  if (isErrno(cause, "EROFS")) {
    const text = `The store's folder lies on a read-only file system, so ${key} can't be written; have it mounted for writing.`;
    return new Failure("store_denied", text, { cause });
  }
  if (isErrno(cause, "EACCES", "EPERM")) {
    const text = `No permission for ${key} in the store's folder; check its owner and mode.`;
    return new Failure("store_denied", text, { cause });
  }
  const full = isErrno(cause, "ENOSPC") ? "disk is full" : isErrno(cause, "EDQUOT") && "quota is used up";
  const text = full
    ? `The store's folder could not take ${key}, since the ${full}; make room there, and run this again.`
    : `The store's folder could not serve ${key}: ${cause instanceof Error && "code" in cause ? cause.code : cause}.`;
  return new Failure("store_unavailable", text, { cause });
}

/**
 * Opens files below the store's root without following a symbolic link, neither in the last name nor in a
 * folder on the way. Otherwise anybody who may write into the store could make one tenant's key lead to
 * another tenant's file, or to any file of the machine. The root itself may be a link.
 *
 * Linux shows the path of an open file (`/proc/self/fd`), so the guard checks that path, and a link that is
 * put there meanwhile has no effect. On other systems the guard checks the folders after the opening. A link
 * that is put there and removed within those microseconds goes unnoticed.
 *
 * Hard links are allowed. Conditional writes make them, and the kernel lets users link only files that they
 * may write (`fs.protected_hardlinks`).
 */
export type LinkGuard = ReturnType<typeof createLinkGuard>;

/** `hasProc` lets tests run as on other systems than Linux. A chroot may have no `/proc`. */
export function createLinkGuard(
  root: string,
  hasProc = process.platform === "linux" && existsSync("/proc/self/fd"),
) {
  /** The root without links. It can change while this process runs, if the root is a link. */
  let realRoot: string | undefined;

  function isAt(opened: string, path: string): boolean {
    const expected = realRoot === undefined ? undefined : realRoot + path.slice(root.length);
    // The kernel appends this when the name was removed or replaced after the opening. No key has a space.
    return opened === expected || opened === `${expected} (deleted)`;
  }

  /** Throws a `Failure` when the path or a folder on the way is a link. A missing path is no link. */
  const refuseLinks = (path: string): Promise<void> => refuseLinksBelow(root, path);

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
    /** Whether the path `/proc/self/fd/N` leads to the file or folder that is open as N. */
    hasProc,
    refuseLinks,
    /** Opens with `flags`. Throws the system's errors, and a `Failure` for a link. */
    async open(path: string, flags: number): Promise<FileHandle> {
      const noFollow = path === root ? 0 : constants.O_NOFOLLOW;
      let handle: FileHandle | undefined;
      try {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer and block a thread.
        handle = await open(path, flags | noFollow | constants.O_NONBLOCK);
        await verify(handle, path);
        return handle;
      } catch (error) {
        await handle?.close();
        // Systems report a link by these errors, where O_NOFOLLOW forbids one or O_DIRECTORY requires a
        // folder.
        if (isErrno(error, "ELOOP", "EMLINK", "ENOTDIR")) await refuseLinks(path);
        throw error;
      }
    },
    entries: (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }),
    /** The inode that has the name, if any. Synchronous: the kernel has just looked into the folder. */
    inodeAt: async (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino,
  };
}

async function refuseLinksBelow(root: string, path: string): Promise<void> {
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

/** Synchronous, since the kernel answers from memory. In another thread it would take ten times as long. */
function openedPath(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

/** Only owner and group may read below the root, whatever the umask. A stricter one takes more away. */
export const folderMode = 0o750;
export const fileMode = 0o640;

/** An open folder of the store. Its paths stay in it, even if it is moved or replaced by a link. */
export interface StoreFolder {
  /** The path of a name in the folder, or of the folder itself. */
  at(name?: string): string;
  /** Makes the names in the folder durable. */
  sync(): Promise<void>;
}

export interface StoreFolders {
  readonly guard: LinkGuard;
  /** Runs `work` with the folder open. Throws ENOENT without one, and a `Failure` for a link on the way. */
  within<Result>(folder: string, work: (folder: StoreFolder) => Promise<Result>): Promise<Result>;
  /** Runs `work` with the folder open, and first creates the folder, durably, if it is missing. */
  withinMade<Result>(folder: string, work: (folder: StoreFolder) => Promise<Result>): Promise<Result>;
}

export function createStoreFolders(guard: LinkGuard): StoreFolders {
  const shared = new Map<string, SharedFolder>();
  const making = new Map<string, Promise<void>>();

  const within: StoreFolders["within"] = (folder, work) => withinShared(guard, shared, folder, work);

  async function make(folder: string): Promise<void> {
    if (folder === guard.root) return await makeRoot(folder, folderMode);
    await withinMade(dirname(folder), async (parent) => {
      makeOne(parent.at(basename(folder)), folderMode);
      await parent.sync();
    });
  }

  /**
   * Makes several attempts, because another process may remove the empty folder before the work is done, and
   * a shared opening may have begun before the folder was made. Concurrent puts make it once.
   */
  async function withinMade<Result>(
    folder: string,
    work: (folder: StoreFolder) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await within(folder, work);
      } catch (error) {
        if (!isErrno(error, "ENOENT") || attempt > 10) throw error;
        const made = making.get(folder) ?? make(folder).finally(() => making.delete(folder));
        making.set(folder, made);
        await made;
      }
    }
  }

  return { guard, within, withinMade };
}

/** Concurrent puts share an open folder, since a build writes thousands of files into one folder. */
async function withinShared<Result>(
  guard: LinkGuard,
  shared: Map<string, SharedFolder>,
  folder: string,
  work: (folder: StoreFolder) => Promise<Result>,
): Promise<Result> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  const entry = shared.get(folder) ?? new SharedFolder(guard.open(folder, flags));
  shared.set(folder, entry);
  const forget = (): void => {
    if (shared.get(folder) === entry) shared.delete(folder);
  };
  entry.users += 1;
  try {
    const handle = await entry.opening;
    if (!guard.hasProc) await guard.refuseLinks(folder);
    const path = guard.hasProc ? `/proc/self/fd/${handle.fd}` : folder;
    return await work({ at: (name = "") => `${path}/${name}`, sync: () => entry.sync(handle) });
  } catch (error) {
    // The folder may have been removed and made again, so the next caller opens it again.
    forget();
    throw error;
  } finally {
    entry.users -= 1;
    if (entry.users === 0) {
      forget();
      await (await entry.opening.catch(() => undefined))?.close();
    }
  }
}

class SharedFolder {
  readonly opening: Promise<FileHandle>;
  users = 0;
  #running = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(opening: Promise<FileHandle>) {
    this.opening = opening;
  }

  /**
   * Puts into one folder share a sync. A call that arrives during a sync joins the *next* one, since the
   * present one may have begun before the caller's name was there.
   */
  sync(handle: FileHandle): Promise<void> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#running = handle.sync();
        return this.#running;
      });
    return this.#next;
  }
}

/**
 * `mkdir -p` for the root. Node's own `recursive` is not used, since it never ends where a parent exists but
 * takes no folder (/proc). The folders above the root are not the store's, so they get the umask's mode.
 */
async function makeRoot(folder: string, mode: number): Promise<void> {
  try {
    makeOne(folder, mode);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    await makeRoot(dirname(folder), 0o777);
    makeOne(folder, mode);
  }
  const parent = await open(dirname(folder), "r");
  await parent.sync().finally(() => parent.close());
}

/** Makes the folder, unless the name is taken. Synchronous for the same reason as `putNewFile`. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
}
