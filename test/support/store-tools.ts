import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Current, parseCurrent } from "../../core/documents/current.ts";
import { parseSnapshotId, parseTenantId, type SnapshotId } from "../../core/ground/ids.ts";
import { currentKey, isObjectKey, type ObjectKey } from "../../core/ground/object-key.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import { readBody } from "../../core/store/object-body.ts";
import { buildCanned, type CannedProgram } from "./canned-source.ts";
import { type CommandOptions, runCommand } from "./command-line.ts";

/** A store in a folder, filled by real builds from canned programs, and the commands that look after it. */
export const toolsTenant = "sakura-trails";

export async function openStoreTools() {
  const directory = await mkdtemp(join(tmpdir(), "store-tools-"));
  const store = createFileStore({ directory });
  // No embedded database of a demo in the working directory is to answer.
  const env = {
    DATA_DIR: `${directory}-data`,
    STORE_URL: `file:${directory}`,
    LIVE_COPY: "off",
    LOG_LEVEL: "silent",
    NO_COLOR: "1",
  };
  const tools = {
    store,
    directory,
    run: (args: readonly string[], options: CommandOptions = {}) =>
      runCommand(args, { ...options, env: { ...env, ...options.env } }),
    build: (programs: readonly CannedProgram[], options?: Parameters<typeof buildCanned>[3]) =>
      buildCanned(store, toolsTenant, programs, options),
    /** Builds so that the only program has this name, and gives the new snapshot's id. */
    async publish(name: string): Promise<SnapshotId> {
      const run = await tools.build([{ programId: "KYOTO-1", name }]);
      const { outcome, snapshotId } = run;
      if (outcome !== "published" || snapshotId === null)
        throw new Error(`${name} was not published: ${JSON.stringify(run)}`);
      return parseSnapshotId(snapshotId);
    },
    async current(): Promise<Current> {
      const tenantId = parseTenantId(toolsTenant);
      return parseCurrent(await tools.read(currentKey(tenantId)), tenantId);
    },
    async keys(prefix = "") {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key);
      return keys;
    },
    async read(key: string): Promise<Buffer> {
      const found = await store.get(objectKey(key));
      if (found.kind !== "object") throw new Error(`${key} is not there`);
      return await readBody(found, found.size, key);
    },
    async close() {
      await rm(directory, { recursive: true, force: true });
    },
  };
  return tools;
}

export function objectKey(text: string): ObjectKey {
  if (isObjectKey(text)) return text;
  throw new Error(`${text} is no object key`);
}

/** Every file below the folder, as paths from there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
