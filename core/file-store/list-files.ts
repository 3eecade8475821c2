import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ListedObject } from "../object-store.ts";
import { isErrno } from "./errno.ts";

/**
 * The objects below `root` in the order of their keys by code unit, hidden files passed over. Holds the names
 * of one folder per level, never the whole tree, and enters no folder that cannot hold a match.
 */
export async function* listFiles(root: string, prefix: string, after: string): AsyncGenerator<ListedObject> {
  yield* walk(root, "", prefix, after);
}

/** The names of the folders right below `prefix` that hold an object at any depth, in order. */
export async function* listFolders(root: string, prefix: string): AsyncGenerator<string> {
  for (const name of await sortedEntries(join(root, prefix))) {
    if (!name.endsWith("/")) continue;
    // A process killed while it deleted leaves empty folders behind; they are no objects.
    const first = await walk(root, prefix + name, prefix + name, "").next();
    if (first.done !== true) yield name.slice(0, -1);
  }
}

async function* walk(
  root: string,
  folder: string,
  prefix: string,
  after: string,
): AsyncGenerator<ListedObject> {
  for (const name of await sortedEntries(join(root, folder))) {
    const key = folder + name;
    if (name.endsWith("/")) {
      const mayMatch = key.startsWith(prefix) || prefix.startsWith(key);
      if (mayMatch && (key > after || after.startsWith(key))) yield* walk(root, key, prefix, after);
    } else if (key.startsWith(prefix) && key > after) {
      const found = await statFile(join(root, key));
      if (found !== undefined) yield { key, size: found.size, modifiedAt: found.mtime };
    }
  }
}

/** Folders end in `/`, so that sorting the names sorts the keys: `a-b` < `a.json` < `a/b`. */
async function sortedEntries(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.name.startsWith("."))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

async function statFile(path: string): Promise<{ readonly size: number; readonly mtime: Date } | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found : undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}
