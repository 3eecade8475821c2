import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
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

test("P174 an object that was replaced 50 times has one hidden file beside it, and none when it is deleted", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  let stored = await store.put(key, bytesBody(Buffer.from("0")));
  for (let version = 1; version <= 50 && stored.kind === "stored"; version += 1) {
    const condition = { kind: "match", etag: stored.etag } as const;
    stored = await store.put(key, bytesBody(Buffer.from(`${version}`)), { condition });
  }
  expect(stored.kind).toBe("stored");
  expect(await readFile(join(directory, key), "utf8")).toBe("50");
  const [hidden, plain, ...others] = await readdir(join(directory, "tenants/acme"));
  expect([hidden, plain, others]).toEqual([".versions-current.json", "current.json", []]);
  expect(await readdir(join(directory, "tenants/acme", ".versions-current.json"))).toEqual([
    expect.stringMatching(/^head-50-[0-9a-f]{32}$/),
  ]);

  await store.delete([key]);
  expect(await readdir(directory)).toEqual([".tmp"]);
  expect(await readdir(join(directory, ".tmp"))).toEqual([]);
});

test("the versions of an object stay when another of its folder is deleted", async () => {
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
