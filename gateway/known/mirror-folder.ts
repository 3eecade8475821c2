import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/ground/failure.ts";
import type { StoreId } from "../../core/ground/ids.ts";
import { readStoreIdentity } from "../../core/process/open-store.ts";
import { sha256Hex } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { valueWithin } from "../deadline.ts";

/**
 * The folder below `directory` for the copy of this store. Each store has its own, since the registry and the
 * generations of another store must never count (W87). Rejects with `settings` unless the folder is this
 * user's own, for its content decides which tokens are valid, and can be written to (W88). Closes it to all
 * others, since Kubernetes' `fsGroup` may have opened it (W87).
 *
 * Rejects with `store_unavailable` when the folder hangs, and then leaves it alone, also when it answers
 * later: each call that hangs holds one of Node's four threads.
 */
export async function lastGoodFolder(
  directory: string,
  storeAddress: string,
  waitMs = maxOpenMs,
): Promise<string> {
  const over = AbortSignal.timeout(waitMs);
  const folder = join(directory, sha256Hex(Buffer.from(storeAddress)).slice(0, 16));
  if ((await valueWithin(waitMs, openFolder(directory, folder, over))) === true) return folder;
  const text = `LAST_GOOD_DIR: ${directory} does not answer within ${waitMs} ms. Look at its disk or network, and start again.`;
  throw new Failure("store_unavailable", text);
}

/** A folder that works takes milliseconds. */
const maxOpenMs = 5000;

/** False when the time was over before the folder had answered. */
async function openFolder(directory: string, folder: string, over: AbortSignal): Promise<boolean> {
  const probe = join(folder, `probe-${randomBytes(8).toString("hex")}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    over.throwIfAborted();
    const found = await lstat(folder);
    over.throwIfAborted();
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    if (!found.isDirectory() || !isOwn) throw new Error(`${folder} is a link or belongs to another user`);
    await chmod(folder, 0o700);
    over.throwIfAborted();
    await writeFile(probe, "", { flag: "wx", mode: 0o600 });
    await rm(probe);
    return true;
  } catch (error) {
    if (over.aborted) return false;
    const why = error instanceof Error ? error.message : String(error);
    const message = `LAST_GOOD_DIR: ${directory} cannot be written to: ${why}. Name another folder, or remove this one.`;
    throw new Failure("settings", message, { cause: error });
  }
}

/**
 * Removes what another version wrote, and all if it is not of `wanted`. Resolves to the store of what is
 * left.
 */
export async function clearedFolder(
  folder: string,
  files: ObjectStore,
  wanted: StoreId | undefined,
): Promise<StoreId | undefined> {
  const identity = await readStoreIdentity(files).catch(() => undefined);
  const isForeign = wanted !== undefined && identity !== undefined && identity.storeId !== wanted;
  for (const name of await readdir(folder)) {
    if (isForeign || !ownNames.has(name)) await rm(join(folder, name), { recursive: true });
  }
  await files.tidy("");
  return isForeign ? undefined : identity?.storeId;
}

const ownNames: ReadonlySet<string> = new Set(["store.json", ".versions-store.json", "auth", "tenants"]);
