import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";
import { sha256Hex } from "../../core/object-body.ts";
import { assertOwnFolder, isOpenToOthers } from "./own-entry.ts";

/**
 * The folder below `directory` for what is kept of this store: another store's registry and generations must never count
 * (W87). It is made if need be, and tried out. Throws `settings` when nothing can be kept there (W88).
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
  // A volume's own group may have been given access since (Kubernetes' fsGroup).
  if (isOpenToOthers(found)) chmodSync(folder, 0o700);
}
