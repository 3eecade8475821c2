import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** Key of every object of a `file:` store → what would differ if it had been written again. */
export type StoreTree = ReadonlyMap<string, string>;

/**
 * The store as gateways may read it: without hidden files, run reports, what generators remember and what
 * people open.
 */
export async function storeTree(directory: string): Promise<StoreTree> {
  const tree = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const key = relative(directory, path);
    if (!entry.isFile() || notServed.test(key) || key.split("/").some((part) => part.startsWith(".")))
      continue;
    const { ino, mtimeNs, size } = await stat(path, { bigint: true });
    const digest = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    tree.set(key, `${ino} ${mtimeNs} ${size} ${digest}`);
  }
  return tree;
}

const notServed = /^runs\/|^tenants\/[^/]+\/(source\.json$|live\/)/;

/** The keys that were written or removed since `before`, in order. */
export function changedKeys(before: StoreTree, after: StoreTree): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).sort();
}

/** The text of every file of the store, hidden ones included: to look for what must not be there. */
export async function allStoredText(directory: string): Promise<string> {
  const texts: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) texts.push(path, await readFile(path, "utf8"));
  }
  return texts.join("\n");
}
