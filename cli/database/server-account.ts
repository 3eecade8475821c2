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
  const accounts = await readFile("/etc/passwd", "utf8").catch(() => "");
  const nobody = accounts.split("\n").find((line) => line.startsWith("nobody:"));
  // macOS writes nobody's ids as -2; the system calls want the unsigned form.
  const [, , id = "65534", group = "65534"] = (nobody ?? "").split(":");
  return { uid: Number(id) >>> 0, gid: Number(group) >>> 0, isOther: true };
}

/** How processes of the account are started: apart from this one's terminal, so that Ctrl-C there does not end them. */
export function spawnOptions(account: ServerAccount, env: NodeJS.ProcessEnv = {}) {
  return {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", ...env },
    detached: true,
    ...(account.isOther ? { uid: account.uid, gid: account.gid } : {}),
  };
}

/** Runs a program as the account, to its end. Throws when its exit status is not 0. */
export async function runAs(
  account: ServerAccount,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  await promisify(execFile)(program, [...args], { ...spawnOptions(account, env), timeout: 120_000 });
}

/**
 * P181: whether the server's account can enter the directory, and only root can replace what lies in it: it and every folder
 * above it is root's, lets others pass, and is closed to their writing, or sticky like `/tmp`. The path must have no links.
 * Access lists beyond the permission bits are not looked at.
 */
export async function isRootsOwn(directory: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(directory);
  const openBits = gid === 0 ? 0o002 : 0o022;
  const isOpen = (mode & openBits) !== 0 && (mode & 0o1000) === 0;
  if (uid !== 0 || isOpen || (mode & 0o001) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || (await isRootsOwn(parent));
}

/**
 * A folder of this user that every account of the machine can enter and only this one can write. It survives a restart, unlike
 * `/tmp`.
 */
export async function machineDirectory(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const directory = join("/var/tmp", `partner-programs-${uid}`);
  await mkdir(directory, { recursive: true });
  const found = await lstat(directory);
  // Anybody may create names in /var/tmp: programs are never run from a folder that somebody else prepared.
  if (found.uid !== uid || !found.isDirectory()) {
    throw new Failure(
      "source_unavailable",
      `${directory} belongs to somebody else: remove it and try again.`,
    );
  }
  await chmod(directory, 0o755);
  return directory;
}
