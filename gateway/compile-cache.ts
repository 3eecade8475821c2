import { lstatSync, mkdirSync } from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

keepCompiledCode();

/**
 * Lets Node.js 22.8 and later reuse the compiled code of the gateway's last run (W91). This file is imported first, since
 * only code that is loaded afterwards is reused. With `NODE_COMPILE_CACHE` Node.js does the same by itself, in that folder.
 */
function keepCompiledCode(): void {
  if (!("enableCompileCache" in nodeModule) || typeof nodeModule.enableCompileCache !== "function") return;
  if (process.getuid === undefined) return;
  const folder = join(tmpdir(), `partner-programs-gateway-${process.getuid()}`);
  try {
    if (isOwnFolder(folder, process.getuid())) nodeModule.enableCompileCache(folder);
  } catch {
    // The folder cannot be used. The start only takes longer.
  }
}

/**
 * Node.js runs the code in this folder and only compares the source's digest. Anybody can create a folder below the
 * temporary folder, so this one must belong to our user and be closed to all others.
 */
function isOwnFolder(folder: string, uid: number): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // The folder exists already, or cannot be made. What is there is examined below.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}
