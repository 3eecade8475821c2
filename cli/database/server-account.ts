import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../../core/failure.ts";

/** The operating system's account that the server runs as. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
  /** Whether it is another account than that of this process, so that files must be handed over to it. */
  readonly isOther: boolean;
}

/**
 * The account for a server whose files live in `directory`: this process's own, but for root, which
 * PostgreSQL refuses. Root lends the server the account that owns the directory already, else `nobody`.
 */
export async function serverAccount(directory: string): Promise<ServerAccount> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) {
    throw new Failure(
      "source_unavailable",
      "The embedded PostgreSQL runs on Linux and macOS only: set DATABASE_URL to a PostgreSQL of your own.",
    );
  }
  if (uid !== 0) return { uid, gid, isOther: false };
  const owner = await stat(directory).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, isOther: true };
  return { ...(await nobody()), isOther: true };
}

/**
 * Whether the account may enter the directory: every folder from the root down lets it pass. Access lists
 * beyond the permission bits are not looked at.
 */
export async function canEnter(account: ServerAccount, directory: string): Promise<boolean> {
  if (!account.isOther) return true;
  const { mode, uid, gid } = await stat(directory);
  const passBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & passBit) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || (await canEnter(account, parent));
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
