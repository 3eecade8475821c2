import { lstatSync, mkdirSync } from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

keepCompiledCode();

/**
 * Imported before everything else: what is loaded afterwards takes its compiled code from the gateway's last run (W91), where
 * Node.js can (22.8 and later). With `NODE_COMPILE_CACHE` Node.js does so by itself, in that folder.
 */
function keepCompiledCode(): void {
  if (!("enableCompileCache" in nodeModule) || typeof nodeModule.enableCompileCache !== "function") return;
  if (process.getuid === undefined) return;
  const folder = join(tmpdir(), `partner-programs-gateway-${process.getuid()}`);
  try {
    if (isOwnFolder(folder, process.getuid())) nodeModule.enableCompileCache(folder);
  } catch {
    // Below something that is no folder: a start without it takes longer, and that is all.
  }
}

/**
 * Node.js runs what it finds there and asks only whether the source is the same. In a folder that all may write to, anybody
 * could have made this one before, hence: ours, and nobody else's to write or to read.
 */
function isOwnFolder(folder: string, uid: number): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there already, or cannot be: what is there is looked at.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}
