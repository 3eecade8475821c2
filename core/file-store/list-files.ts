import type { Dirent } from "node:fs";
import { resolve } from "node:path";
import type { ListedObject } from "../object-store.ts";
import { unlessErrno } from "./file-error.ts";
import type { LinkGuard } from "./link-guard.ts";
import type { StoreFolders } from "./store-folders.ts";

/** The store whose files are listed. */
export interface ListedStore {
  readonly guard: LinkGuard;
  readonly folders: StoreFolders;
}

/**
 * Lists the objects below the root in the order of their keys by code unit, without hidden files. Memory holds the names of one
 * folder per level. Folders that cannot have a match are not read. Throws when a listed name is a symbolic link.
 */
export async function* listFiles(
  store: ListedStore,
  prefix: string,
  after: string,
): AsyncGenerator<ListedObject> {
  yield* walk(store, "", prefix, after);
}

/** The names of the folders right below `prefix` that hold an object at any depth, in order; a link is no folder. */
export async function* listFolders(store: ListedStore, prefix: string): AsyncGenerator<string> {
  for (const name of await namesIn(store, prefix)) {
    if (!name.endsWith("/")) continue;
    // A process that was killed while deleting may have left empty folders, which do not count.
    if (await hasFile(store, prefix + name)) yield name.slice(0, -1);
  }
}

async function hasFile(store: ListedStore, folder: string): Promise<boolean> {
  const entries = await entriesIn(store, folder);
  if (entries.some((entry) => entry.isFile())) return true;
  for (const entry of entries) {
    if (entry.isDirectory() && (await hasFile(store, `${folder}${entry.name}/`))) return true;
  }
  return false;
}

async function* walk(
  store: ListedStore,
  folder: string,
  prefix: string,
  after: string,
): AsyncGenerator<ListedObject> {
  let files: string[] = [];
  for (const name of await namesIn(store, folder)) {
    const key = folder + name;
    if (!name.endsWith("/")) {
      if (prefix.startsWith(`${key}/`)) await store.guard.refuseLinks(resolve(store.guard.root, key));
      if (key.startsWith(prefix) && key > after) files.push(name);
      if (files.length < filesAtOnce) continue;
    }
    yield* await filesOf(store, folder, files);
    files = [];
    const mayMatch = name.endsWith("/") && (key.startsWith(prefix) || prefix.startsWith(key));
    if (mayMatch && (key > after || after.startsWith(key))) yield* walk(store, key, prefix, after);
  }
  yield* await filesOf(store, folder, files);
}

/** How many files are examined while their folder is open. The folder is closed while the listing waits for its reader. */
const filesAtOnce = 64;

async function filesOf(
  { folders, guard }: ListedStore,
  folder: string,
  names: readonly string[],
): Promise<readonly ListedObject[]> {
  if (names.length === 0) return [];
  const listed: ListedObject[] = [];
  await ifThere(
    folders.within(resolve(guard.root, folder), async (open) => {
      for (const name of names) {
        const found = await ifThere(guard.disk.lstat(open.at(name)));
        if (found?.isSymbolicLink() === true) await guard.refuseLinks(resolve(guard.root, folder, name));
        if (found?.isFile() === true) {
          listed.push({ key: folder + name, size: found.size, modifiedAt: found.mtime });
        }
      }
    }),
  );
  return listed;
}

/** Folders end in `/`, so that sorting the names sorts the keys: `a-b` < `a.json` < `a/b`. */
async function namesIn(store: ListedStore, folder: string): Promise<readonly string[]> {
  return (await entriesIn(store, folder))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** The visible entries of the folder; none when there is no such folder. */
async function entriesIn({ folders, guard }: ListedStore, folder: string): Promise<readonly Dirent[]> {
  const entries = await ifThere(
    folders.within(resolve(guard.root, folder), (open) => guard.disk.entries(open.at())),
  );
  return (entries ?? []).filter((entry) => !entry.name.startsWith("."));
}

const ifThere = <Result>(looking: Promise<Result>): Promise<Result | undefined> =>
  unlessErrno(looking, "ENOENT", "ENOTDIR");
