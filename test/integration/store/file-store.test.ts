import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey } from "../../../core/ground/object-key.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { createLinkGuard, createStoreFolders } from "../../../core/store/file-store/store-folders.ts";
import { listFiles } from "../../../core/store/file-store/walk-folders.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { listFolders } from "../../support/object-store-probes.ts";

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
  expect([stored.kind, await readFile(join(directory, key), "utf8")]).toEqual(["stored", "50"]);
  const [hidden, plain, ...others] = await readdir(join(directory, "tenants/acme"));
  expect([hidden, plain, others]).toEqual([".versions-current.json", "current.json", []]);
  expect(await readdir(join(directory, "tenants/acme", ".versions-current.json"))).toEqual([
    expect.stringMatching(/^head-50-[0-9a-f]{32}$/),
  ]);

  await store.delete([key]);
  expect(await readdir(directory)).toEqual([]);
});

test("P174 a tidied store has nothing left of processes that were killed", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  await store.put(key, bytesBody(Buffer.from("0")));
  const before = await readdir(directory, { recursive: true });
  const names = ["tenants/acme/.new-0123", "tenants/purged/snapshots/.new-4567"];
  await mkdir(join(directory, "tenants/purged/snapshots"), { recursive: true });
  await mkdir(join(directory, "tenants/empty/live/v1"), { recursive: true });
  for (const name of names) {
    await writeFile(join(directory, name), "");
    await utimes(join(directory, name), 1, 1);
  }
  // This one may be on its way.
  await writeFile(join(directory, "tenants/acme/.new-89ab"), "");
  // What a killed process left is no folder of the store.
  expect(await listFolders(store, "tenants/")).toEqual(["acme"]);
  await store.tidy("");
  expect((await readdir(directory, { recursive: true })).sort()).toEqual(
    [...before, "tenants/acme/.new-89ab"].sort(),
  );
});

test("a tidying that is told to end does so at the next folder", async () => {
  const directory = await folder();
  const left = join(directory, "tenants/empty");
  await mkdir(left, { recursive: true });
  const stop = new AbortController();
  const tidying = createFileStore({ directory }).tidy("", { signal: stop.signal });
  stop.abort(new Error("told to end"));
  await expect(tidying).rejects.toThrow("told to end");
  expect(await readdir(left)).toEqual([]);
});

test.each([
  ["a file", async (path: string) => writeFile(path, "")],
  ["a link that leads nowhere", async (path: string) => symlink("nowhere", path)],
])(
  "where %s is in place of an object's versions, writing fails and names it, and reading goes on",
  async (_, put) => {
    const directory = await folder();
    const store = createFileStore({ directory });
    const obstacle = join(directory, "tenants/acme/.versions-current.json");
    await mkdir(join(directory, "tenants/acme"), { recursive: true });
    await put(obstacle);
    const refusal = {
      code: "corrupt_document",
      message: expect.stringContaining(`${obstacle} is in the way`),
    };
    await expect(store.put(key, bytesBody(Buffer.from("0")))).rejects.toMatchObject(refusal);
    await expect(store.delete([key])).rejects.toMatchObject(refusal);
    expect(await store.get(key)).toEqual({ kind: "missing" });
    const stored = await store.put(key, bytesBody(Buffer.from("0")), { condition: { kind: "absent" } });
    if (stored.kind !== "stored") throw new Error("a put into an empty store was refused");
    const condition = { kind: "match", etag: stored.etag } as const;
    await expect(store.put(key, bytesBody(Buffer.from("1")), { condition })).rejects.toMatchObject(refusal);
    expect(await store.get(key)).toMatchObject({ kind: "object", etag: stored.etag });
  },
);

test("a part of the store may be a mount of its own", async ({ skip }) => {
  const directory = await folder();
  const mounted = join(directory, "tenants");
  await mkdir(mounted);
  skip(spawnSync("mount", ["-t", "tmpfs", "none", mounted]).status !== 0, "nothing may be mounted here");
  try {
    const store = createFileStore({ directory });
    const other = currentKey(parseTenantId("other"));
    const stored = await store.put(key, bytesBody(Buffer.from("0")), { condition: { kind: "absent" } });
    if (stored.kind !== "stored") throw new Error("a put into an empty store was refused");
    const condition = { kind: "match", etag: stored.etag } as const;
    expect(await store.put(key, bytesBody(Buffer.from("1")), { condition })).toMatchObject({
      kind: "stored",
    });
    expect(await store.copy(key, other)).toEqual({ kind: "copied" });
    await store.delete([key, other]);
    expect(await readdir(mounted)).toEqual([]);
  } finally {
    spawnSync("umount", [mounted]);
  }
});

test.runIf(process.platform === "linux")("a folder that can't be made is a failure, not a wait", async () => {
  const store = createFileStore({ directory: "/proc/partner-programs" });
  await expect(store.put(key, bytesBody(Buffer.from("0")))).rejects.toMatchObject({ name: "Failure" });
});

test("a large body that is destroyed after its chunks were read closes nobody else's file", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  await store.put(key, bytesBody(Buffer.alloc(2 * 1024 * 1024, "a")));
  const found = await store.get(key);
  if (found.kind !== "object") throw new Error("the object is missing");
  let size = 0;
  await found.forEachChunk?.(async (chunk) => {
    size += chunk.length;
  });
  expect(size).toBe(2 * 1024 * 1024);
  // The lowest free number is given first, so this file has the one that was closed.
  const other = openSync(join(directory, key), "r");
  found.body.destroy();
  await finished(found.body).catch(() => {});
  expect(fstatSync(other).size).toBe(size);
  closeSync(other);
});

test.runIf(process.platform === "linux")("a large body that nobody reads closes its file", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  await store.put(key, bytesBody(Buffer.alloc(2 * 1024 * 1024)));
  const isOpen = (): boolean =>
    readdirSync("/proc/self/fd").some((file) => openedAs(file) === join(directory, key));
  const found = await store.get(key);
  if (found.kind !== "object") throw new Error("the object is missing");
  expect(isOpen()).toBe(true);
  found.body.destroy();
  await expect.poll(isOpen).toBe(false);
});

test.runIf(process.platform === "linux")(
  "folders that a put makes are durable in those above them, and so is its file's name",
  async () => {
    const directory = await folder();
    const store = createFileStore({ directory: join(directory, "above/root") });
    const synced: string[] = [];
    const handle = await open(directory);
    const syncs = vi.spyOn(Object.getPrototypeOf(handle), "sync").mockImplementation(async function (
      this: typeof handle,
    ) {
      synced.push(openedAs(this.fd) ?? "");
    });
    onTestFinished(() => syncs.mockRestore());
    await handle.close();
    await store.put(key, bytesBody(Buffer.from("0")));
    const places = ["", "/above", "/above/root", "/above/root/tenants", "/above/root/tenants/acme"];
    expect(synced).toEqual(places.map((place) => directory + place));
  },
);

/** The path that was opened as this descriptor; `undefined` when it is closed. */
function openedAs(file: string | number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

test("a file that is deleted while its folder is listed is left out", async () => {
  const directory = await folder();
  for (const name of ["a", "b"]) await writeFile(join(directory, name), "");
  const guard = createLinkGuard(directory);
  const entries: typeof guard.entries = async (path) => {
    const found = await guard.entries(path);
    await rm(join(directory, "a"));
    return found;
  };
  const listed: string[] = [];
  const folders = createStoreFolders({ ...guard, entries });
  for await (const { key } of listFiles(folders, "", "")) listed.push(key);
  expect(listed).toEqual(["b"]);
});

test("a folder that was removed after it was opened is made again", async () => {
  const directory = await folder();
  const path = join(directory, "a", "b");
  let removals = 2;
  await createStoreFolders(createLinkGuard(directory)).withinMade(path, async (open) => {
    if (removals > 0) await rm(join(directory, "a"), { recursive: true });
    removals -= 1;
    await writeFile(open.at("file"), "");
  });
  expect(await readdir(path)).toEqual(["file"]);
});

test("W194 however many files of some size are asked for, no turn of the event loop hashes more than Node has threads", async () => {
  const directory = await folder();
  const store = createFileStore({ directory });
  const keys = Array.from({ length: 24 }, (_, at) => currentKey(parseTenantId(`t${at}`)));
  for (const key of keys) await store.put(key, bytesBody(Buffer.alloc(1024 * 1024)));
  let inTurn = 0;
  let most = 0;
  const reading = Promise.all(
    keys.map(async (key) => {
      await store.get(key);
      inTurn += 1;
    }),
  );
  let isOver = false;
  void reading.finally(() => (isOver = true));
  while (!isOver) {
    await setImmediate();
    most = Math.max(most, inTurn);
    inTurn = 0;
    // The threads read on while the loop is held up.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  expect(most).toBeLessThanOrEqual(4);
});
