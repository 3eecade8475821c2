import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { currentKey } from "../../../core/object-key.ts";

const key = currentKey(parseTenantId("acme"));

async function folder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "file-store-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test("an object that was replaced under conditions leaves nothing behind when it is deleted", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  let stored = await store.put(key, bytesBody(Buffer.from("0")));
  for (let version = 1; version <= 3 && stored.kind === "stored"; version += 1) {
    const condition = { kind: "match", etag: stored.etag } as const;
    stored = await store.put(key, bytesBody(Buffer.from(`${version}`)), { condition });
  }
  expect(stored.kind).toBe("stored");
  expect(await readdir(join(directory, "tenants/acme"))).toHaveLength(4);

  await store.delete([key]);
  expect(await readdir(directory)).toEqual([".tmp"]);
});

test("what an object was replaced under stays when another of its folder is deleted", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  const other = currentKey(parseTenantId("acme")).replace("current", "current.json-other") as typeof key;
  const stored = await store.put(key, bytesBody(Buffer.from("0")));
  if (stored.kind !== "stored") throw new Error("a put without a condition was refused");
  await store.put(key, bytesBody(Buffer.from("1")), { condition: { kind: "match", etag: stored.etag } });
  await store.put(other, bytesBody(Buffer.from("2")));

  await store.delete([other]);
  expect(await readdir(join(directory, "tenants/acme"))).toHaveLength(2);
});

test.runIf(process.platform === "linux")("a folder that can't be made is a failure, not a wait", async () => {
  const store = createFileStore({ directory: "/proc/partner-programs" });
  await expect(store.put(key, bytesBody(Buffer.from("0")))).rejects.toMatchObject({ name: "Failure" });
});
