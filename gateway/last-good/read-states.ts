import { lstat, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../../core/file-store/file-error.ts";
import { namesIn } from "./atomic-file.ts";
import { parseState } from "./kept-state.ts";
import type { FoundState } from "./known-state.ts";
import { assertOwnFolder, openOwnFile } from "./own-folder.ts";

/** A state, and which file it was. */
export interface StateFile extends FoundState {
  readonly name: string;
}

/**
 * What gateways of the folder have written down. W77, W100: what is no file of this user is passed over, and what cannot be read
 * costs itself alone: `onFault` hears of it. Throws when the folder is not this user's.
 *
 * A gateway that starts beside this one removes older states once its own says the same (W86). Whoever listed them before
 * looks again, or would find neither. `list`: the names in a folder.
 */
export async function readStates(
  folder: string,
  onFault: (error: unknown) => void,
  list: (folder: string) => Promise<readonly string[]> = namesIn,
): Promise<readonly StateFile[]> {
  for (let look = 1; ; look += 1) {
    const names = await list(folder);
    if (names.length > 0) assertOwnFolder(folder, await lstat(folder));
    const states = await Promise.allSettled(names.map((name) => readState(folder, name)));
    const faults = states.flatMap((state) => (state.status === "rejected" ? [state.reason] : []));
    const lasting = faults.filter((fault) => !isErrno(fault, "ENOENT"));
    if (lasting.length < faults.length && look < maxLooks) continue;
    lasting.forEach(onFault);
    return states.flatMap((state) => (state.status === "fulfilled" && state.value ? [state.value] : []));
  }
}

/**
 * Removes states whose content a newer one has by now, and gives those that may still be needed: their gateways have written after
 * `livingSinceMs` (by their files' times), and run. A state that was written since it was read is neither.
 */
export async function removeStates(
  folder: string,
  found: readonly StateFile[],
  livingSinceMs: number,
): Promise<readonly StateFile[]> {
  const living: StateFile[] = [];
  for (const state of found) {
    const path = join(folder, state.name);
    const mtimeMs = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (mtimeMs !== state.modifiedAtMs) continue;
    if (mtimeMs > livingSinceMs) living.push(state);
    else await rm(path, { force: true });
  }
  return living;
}

async function readState(folder: string, name: string): Promise<StateFile | undefined> {
  const file = await openOwnFile(join(folder, name));
  if (file === undefined) return undefined;
  try {
    const [bytes, { mtimeMs }] = await Promise.all([file.readFile(), file.stat()]);
    return { name, state: parseState(bytes), modifiedAtMs: mtimeMs };
  } finally {
    await file.close();
  }
}

/** Each gateway that starts removes others' states once or twice. */
const maxLooks = 5;
