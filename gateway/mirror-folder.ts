import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { chmod, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../core/failure.ts";
import { isErrno } from "../core/file-store/file-error.ts";
import type { Manifest } from "../core/manifest.ts";
import { sha256Hex } from "../core/object-body.ts";
import { checkedKey, type ObjectKey, snapshotsPrefix } from "../core/object-key.ts";
import type { ObjectStore } from "../core/object-store.ts";

/**
 * The folder below `directory` for the copy of this store. Each store has its own, since the registry and the generations of
 * another store must never count (W87). The folder is made if it is missing, and tried by a test write. Rejects with `settings` when
 * nothing can be written there (W88).
 */
export async function lastGoodFolder(directory: string, storeAddress: string): Promise<string> {
  const folder = join(directory, sha256Hex(Buffer.from(storeAddress)).slice(0, 16));
  const probe = join(folder, `probe-${randomBytes(8).toString("hex")}`);
  try {
    await guardFolder(folder);
    try {
      await writeFile(probe, "", { flag: "wx", mode: 0o600 });
      await rename(probe, `${probe}-renamed`);
    } finally {
      await rm(probe, { force: true });
      await rm(`${probe}-renamed`, { force: true });
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

/**
 * W100: makes sure before a write that the folder is there, is this user's, and is closed to all others, since Kubernetes'
 * `fsGroup` or a person may have opened it to others. Rejects with `settings` when it is a link or belongs to another user. True when
 * the folder was missing.
 */
export async function guardFolder(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    assertOwnFolder(folder, found);
    if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
    return false;
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return true;
  }
}

/** W87: only the gateway's user may own the folder, since its content decides which tokens are valid. */
function assertOwnFolder(folder: string, found: Stats): void {
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (found.isDirectory() && isOwn) return;
  const what = found.isDirectory() ? "belongs to another user" : "is no folder";
  throw new Failure("settings", `LAST_GOOD_DIR: ${folder} ${what}; remove it, or name another folder.`);
}

/** Removes what an earlier version has left in the folder. */
export async function removeOtherLayouts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!ownNames.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

const ownNames: ReadonlySet<string> = new Set(["store.json", ".versions-store.json", "auth", "tenants"]);

/** Removes the folders of snapshots that the manifest does not name, since the copy must not grow with each publication. */
export async function removeUnnamed(
  files: ObjectStore,
  { tenantId, snapshotId, list, legacy, programs }: Manifest,
): Promise<void> {
  const prefix = snapshotsPrefix(tenantId);
  const folderOf = (key: string): string => key.slice(prefix.length).split("/", 1)[0] ?? "";
  const named = new Set<string>([
    snapshotId,
    folderOf(list.key),
    folderOf(legacy.key),
    ...programs.folders(),
  ]);
  const unnamed: ObjectKey[] = [];
  for await (const { key } of files.list(prefix)) {
    if (!named.has(folderOf(key))) unnamed.push(checkedKey(key));
  }
  await files.delete(unnamed);
}
