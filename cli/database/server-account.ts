import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../core/failure.ts";

/** The operating system's account that the server runs as. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
  /** Whether it is another account than that of this process, so that files must be handed over to it. */
  readonly isOther: boolean;
}

/** This process's own account. PostgreSQL refuses root, so root lends the server `nobody`. */
export async function serverAccount(): Promise<ServerAccount> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) {
    throw new Failure(
      "source_unavailable",
      "The embedded PostgreSQL runs on Linux and macOS only: set DATABASE_URL to a PostgreSQL of your own.",
    );
  }
  if (uid !== 0) return { uid, gid, isOther: false };
  return { ...(await nobody()), isOther: true };
}

/** Runs a program as the account, to its end. Throws when its exit status is not 0. */
export async function runAs(account: ServerAccount, program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, [...args], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    timeout: 120_000,
    ...(account.isOther ? { uid: account.uid, gid: account.gid } : {}),
  });
}

/** Whether every folder from the root down lets the account pass. Access lists beyond the permission bits are not looked at. */
export async function canEnter(account: ServerAccount, directory: string): Promise<boolean> {
  if (!account.isOther) return true;
  const { mode, uid, gid } = await stat(directory);
  const passBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & passBit) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || (await canEnter(account, parent));
}

/**
 * P181: whether only root can replace what lies in the directory: it and every folder above it is root's, and closed to others,
 * or sticky like `/tmp`. The path must have no links.
 */
export async function isRootsAlone(directory: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(directory);
  const openBits = gid === 0 ? 0o002 : 0o022;
  if (uid !== 0 || ((mode & openBits) !== 0 && (mode & 0o1000) === 0)) return false;
  const parent = dirname(directory);
  return parent === directory || (await isRootsAlone(parent));
}

async function nobody(): Promise<{ uid: number; gid: number }> {
  const accounts = await readFile("/etc/passwd", "utf8").catch(() => "");
  const fields = accounts
    .split("\n")
    .find((line) => line.startsWith("nobody:"))
    ?.split(":");
  // macOS writes nobody's ids as -2; the system calls want the unsigned form.
  const [uid, gid] = [Number(fields?.[2] ?? 65_534) >>> 0, Number(fields?.[3] ?? 65_534) >>> 0];
  return { uid, gid };
}

/**
 * A folder of this user that every account of the machine can enter and only this one can write. It survives a restart, unlike
 * `/tmp`.
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
