import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseTenantId } from "../../../core/ids.ts";
import { currentKey } from "../../../core/object-key.ts";
import { openStore } from "../../../core/open-store.ts";

async function folder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "open-store-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

function open(directory: string): ReturnType<typeof openStore> {
  return openStore({ address: { kind: "file", directory }, forcePathStyle: false, timeoutMs: 1000 });
}

test("a folder that is not there yet is an empty store", async () => {
  const store = await open(join(await folder(), "new"));
  expect(await store.get(currentKey(parseTenantId("acme")))).toEqual({ kind: "missing" });
});

test("a file is refused: it would look like a store that holds nothing", async () => {
  const file = join(await folder(), "file");
  await writeFile(file, "");
  await expect(open(file)).rejects.toMatchObject({
    code: "settings",
    message: `STORE_URL: ${file} is not a folder.`,
  });
});
