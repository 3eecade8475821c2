import { chmod, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";

/**
 * A folder of this user outside the checkout that every account of the machine can enter but only this one
 * can write. It survives a restart of the machine, unlike `/tmp`.
 */
export async function machineDirectory(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const directory = join("/var/tmp", `partner-programs-${uid}`);
  await mkdir(directory, { recursive: true });
  const { uid: owner, mode } = await lstat(directory);
  // Anybody may create names in /var/tmp: programs are never run from a folder that somebody else prepared.
  if (owner !== uid || (mode & 0o170_000) !== 0o040_000) {
    throw new Failure(
      "source_unavailable",
      `${directory} belongs to somebody else: remove it and try again.`,
    );
  }
  await chmod(directory, 0o755);
  return directory;
}
