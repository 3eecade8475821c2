import { randomBytes } from "node:crypto";
import {
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";
import { isErrno } from "../../core/file-store/file-error.ts";
import { sha256Hex } from "../../core/object-body.ts";

/**
 * The folder below `directory` for the copy of this store. Each store has its own, since the registry and the generations of
 * another store must never count (W87). The folder is made if it is missing, and tried by a test write. Throws `settings` when
 * nothing can be written there (W88).
 */
export function lastGoodFolder(directory: string, storeAddress: string): string {
  const folder = join(directory, sha256Hex(Buffer.from(storeAddress)).slice(0, 16));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    takeOver(folder);
    const probe = join(folder, `probe-${randomBytes(8).toString("hex")}`);
    try {
      writeFileSync(probe, "", { flag: "wx", mode: 0o600 });
      renameSync(probe, `${probe}-renamed`);
    } finally {
      rmSync(probe, { force: true });
      rmSync(`${probe}-renamed`, { force: true });
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure("settings", `LAST_GOOD_DIR: ${directory} cannot be written to: ${why}`, {
      cause: error,
    });
  }
  return folder;
}

function takeOver(folder: string): void {
  const found = lstatSync(folder);
  assertOwnFolder(folder, found);
  // Kubernetes' `fsGroup` may have opened the folder to the volume's group after it was made.
  if (isOpenToOthers(found)) chmodSync(folder, 0o700);
}

/** W87: only the gateway's user may own the folder, since its content decides which tokens are valid. Throws `settings`. */
export function assertOwnFolder(folder: string, found: Stats): void {
  if (found.isDirectory() && isOwn(found)) return;
  const what = found.isDirectory() ? "belongs to another user" : "is no folder";
  throw new Failure("settings", `LAST_GOOD_DIR: ${folder} ${what}; remove it, or name another folder.`);
}

export function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

/**
 * W100: opens a regular file of this user. `undefined` for anything else: a link may lead anywhere, and a pipe would make its
 * reader wait. Throws as `open` does when the file is missing.
 */
export async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isErrno(error, "ELOOP") || isErrno(error, "ENXIO")) return undefined;
    throw error;
  }
  const found = await file.stat().catch(() => undefined);
  if (found?.isFile() && isOwn(found)) return file;
  await file.close();
  return undefined;
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
