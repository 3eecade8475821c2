import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Something that goes wrong with a `file:` store for a while. */
export interface StoreFault {
  readonly name: string;
  /** Breaks the store. The returned function repairs it. */
  begin(directory: string): Promise<() => Promise<void>>;
}

/** An endless sequence of faults as disks, operators and network file systems cause them. */
export const storeFaults: readonly StoreFault[] = [
  { name: "the whole store is away", begin: (directory) => hidden(join(directory, "tenants")) },
  { name: "a tenant's folder is away", begin: (directory) => hidden(join(directory, "tenants", "tenant-0")) },
  {
    name: "a pointer is gone",
    begin: (directory) => hidden(join(directory, "tenants", "tenant-1", "current.json")),
  },
  {
    name: "a pointer is half written",
    begin: (directory) =>
      damaged(join(directory, "tenants", "tenant-0", "current.json"), (bytes) => bytes.subarray(0, 40)),
  },
  {
    name: "the token registry is gone",
    begin: (directory) => hidden(join(directory, "auth", "tokens.json")),
  },
  {
    name: "the token registry is damaged",
    begin: (directory) => damaged(join(directory, "auth", "tokens.json"), () => Buffer.from("{}")),
  },
];

async function hidden(path: string): Promise<() => Promise<void>> {
  await rename(path, `${path}.away`);
  return () => rename(`${path}.away`, path);
}

/** Puts other bytes under the same name, and later restores the right ones. */
async function damaged(path: string, change: (bytes: Buffer) => Buffer): Promise<() => Promise<void>> {
  const bytes = await readFile(path);
  await rename(path, `${path}.away`);
  await writeFile(path, change(bytes));
  return () => rename(`${path}.away`, path);
}
