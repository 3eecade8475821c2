import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../core/failure.ts";
import { isErrno } from "../core/file-store/file-error.ts";
import type { Manifest } from "../core/manifest.ts";
import { sha256Hex } from "../core/object-body.ts";
import { checkedKey, type ObjectKey, snapshotsPrefix } from "../core/object-key.ts";
import type { ObjectStore } from "../core/object-store.ts";

/**
 * The folder below `directory` for the copy of this store. Each store has its own, since the registry and the generations of
 * another store must never count (W87). The folder is made if it is missing, and tried by a test write. Throws `settings` when
 * nothing can be written there (W88).
 */
export function lastGoodFolder(directory: string, storeAddress: string): string {
  const folder = join(directory, sha256Hex(Buffer.from(storeAddress)).slice(0, 16));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    assertOwnFolder(folder, found);
    // Kubernetes' `fsGroup` may have opened the folder to the volume's group after it was made.
    if (isOpenToOthers(found)) chmodSync(folder, 0o700);
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

/**
 * W100: makes sure before a write that the folder is there, is this user's, and is closed to all others, since somebody may have
 * changed that after the start. Throws `settings` when it is a link or belongs to another user. True when the folder was missing.
 */
export async function guardFolder(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    assertOwnFolder(folder, found);
    if (isOpenToOthers(found)) await chmod(folder, 0o700);
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

function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

/** Removes what an earlier version has left in the folder. */
export async function removeOtherLayouts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!ownNames.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

const clockName = ".clock";
const ownNames: ReadonlySet<string> = new Set([
  clockName,
  "store.json",
  ".versions-store.json",
  "auth",
  "tenants",
]);

/** The latest time, since 1970, that a gateway of the folder has seen (W78). */
export async function latestTimeIn(folder: string): Promise<number> {
  const clock = await stat(join(folder, clockName)).catch(() => undefined);
  return clock === undefined ? 0 : Math.floor(clock.mtimeMs);
}

export async function noteTime(folder: string, unixMs: number): Promise<void> {
  await writeFile(join(folder, clockName), "", { mode: 0o600 });
  await utimes(join(folder, clockName), unixMs / 1000, unixMs / 1000);
}

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
