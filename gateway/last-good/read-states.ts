import { lstat, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno } from "../../core/file-store/file-error.ts";
import { namesIn } from "./atomic-file.ts";
import { parseState } from "./kept-state.ts";
import type { FoundState } from "./known-state.ts";
import { assertOwnFolder, openOwnFile } from "./own-folder.ts";

/** A state and its file's name. */
export interface StateFile extends FoundState {
  readonly name: string;
}

/**
 * Reads the states of all gateways of the folder. W77, W100: entries that are no files of this user are passed over. A file
 * that cannot be read is reported to `onFault` and left out. Throws when the folder is not this user's.
 *
 * Another gateway that starts now removes older states once its own state has their content (W86). So if a listed file is
 * gone, the folder is listed again. `list`: gives the names in a folder.
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
 * Removes states whose content the new state has, and returns those of gateways that still run: their files were written after
 * `livingSinceMs`. A state that was written again since it was read is neither removed nor returned.
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

/** Each gateway that starts removes other states once or twice, so more looks are not needed. */
const maxLooks = 5;
