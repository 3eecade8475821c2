import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { getText, key, listFolders, listKeys } from "../../support/object-store-probes.ts";

const body = bytesBody(Buffer.from("mine"));
const own = key("tenants/a/v1/programs.json");
const foreign = key("tenants/b/v1/programs.json");

describe.each([
  { where: "on Linux", hasProc: true },
  { where: "on a system without /proc", hasProc: false },
])("a link below the root of a file: store, $where", ({ hasProc }) => {
  async function storeWithForeign() {
    const parent = await mkdtemp(join(tmpdir(), "file-store-links-"));
    onTestFinished(() => rm(parent, { recursive: true }));
    const directory = join(parent, "store");
    const outside = join(parent, "outside");
    await mkdir(outside);
    const store = createFileStore({ directory, hasProc });
    await store.put(foreign, bytesBody(Buffer.from("theirs")));
    return { store, directory, outside };
  }

  test.each([
    ["the file itself, absolute", "tenants/a/v1/programs.json", "/etc/passwd"],
    ["the file itself, within the store", "tenants/a/v1/programs.json", "../../b/v1/programs.json"],
    ["the folder of the file", "tenants/a/v1", "../b/v1"],
    ["a folder further up", "tenants/a", "b"],
    ["a link to nothing in the file's place", "tenants/a/v1/programs.json", "nothing"],
    ["a link to nothing on the way", "tenants/a", "nothing"],
  ])("is not read through: %s", async (_, link, target) => {
    const { store, directory } = await storeWithForeign();
    await plant(directory, link, target);
    await expect(getText(store, own)).rejects.toMatchObject({
      code: "corrupt_document",
      message: expect.stringMatching(`tenants/a/v1/programs\\.json: .*${link} is a symbolic link`),
    });
    await expect(getText(store, foreign)).resolves.toBe("theirs");
  });

  test("is not written through: a folder", async () => {
    const name = "runs";
    const { store, directory, outside } = await storeWithForeign();
    await rm(join(directory, name), { recursive: true, force: true });
    await symlink(outside, join(directory, name));
    const conditions = [undefined, { kind: "absent" }, { kind: "match", etag: "x" }] as const;
    for (const condition of conditions) {
      const put = store.put(key("runs/report.json"), body, { condition });
      await expect(put).rejects.toMatchObject({
        code: "corrupt_document",
        message: expect.stringContaining(`${name} is a symbolic link`),
      });
    }
    expect(await readdir(outside)).toEqual([]);
  });

  test.each([
    ["from", "the file itself", "tenants/a/v1/programs.json", "../../b/v1/programs.json"],
    ["from", "a folder on the way", "tenants/a", "b"],
    ["to", "a folder on the way", "tenants/a", "b"],
  ])("is not copied %s: %s", async (side, _, link, target) => {
    const { store, directory } = await storeWithForeign();
    const other = key("tenants/c/v1/programs.json");
    await store.put(other, body);
    await plant(directory, link, target);
    const copy = side === "from" ? store.copy(own, other) : store.copy(other, own);
    await expect(copy).rejects.toMatchObject({
      code: "corrupt_document",
      message: expect.stringContaining(`${link} is a symbolic link`),
    });
    await expect(getText(store, foreign)).resolves.toBe("theirs");
    await expect(getText(store, other)).resolves.toBe("mine");
  });

  test("is replaced by a put under its name, not followed", async () => {
    const { store, directory, outside } = await storeWithForeign();
    await writeFile(join(outside, "victim"), "untouched");
    await plant(directory, own, join(outside, "victim"));
    await store.put(own, body);
    expect(await getText(store, own)).toBe("mine");
    expect(await readFile(join(outside, "victim"), "utf8")).toBe("untouched");
  });

  test("does not lead a delete elsewhere", async () => {
    const { store, directory } = await storeWithForeign();
    await plant(directory, "tenants/a", "b");
    await expect(store.delete([own])).rejects.toMatchObject({ code: "corrupt_document" });
    expect(await getText(store, foreign)).toBe("theirs");
    // The link under an object's own name is what goes, never what it points at.
    await plant(directory, "tenants/c/v1/programs.json", "../../b/v1/programs.json");
    await store.delete([key("tenants/c/v1/programs.json")]);
    expect(await getText(store, foreign)).toBe("theirs");
  });

  test("ends a listing that it belongs to, and no other", async () => {
    const { store, directory } = await storeWithForeign();
    await plant(directory, "tenants/a/v1", "../b/v1");
    await plant(directory, "tenants/d", "b");
    await expect(listKeys(store, "tenants/a/")).rejects.toMatchObject({ code: "corrupt_document" });
    await expect(listKeys(store, "tenants/d/")).rejects.toMatchObject({ code: "corrupt_document" });
    expect(await listKeys(store, "tenants/b/")).toEqual([foreign]);
    expect(await listFolders(store, "tenants/b/")).toEqual(["v1"]);
  });

  test("may be the root itself, also when it is pointed elsewhere later", async () => {
    const { store, directory } = await storeWithForeign();
    const link = join(dirname(directory), "link");
    await symlink(directory, link);
    const linked = createFileStore({ directory: link, hasProc });
    expect(await getText(linked, foreign)).toBe("theirs");
    await linked.put(own, body);
    expect(await getText(store, own)).toBe("mine");
    const restored = createFileStore({ directory: join(dirname(directory), "restored"), hasProc });
    await restored.put(own, bytesBody(Buffer.from("restored")));
    await symlink("restored", `${link}.new`);
    await rename(`${link}.new`, link);
    expect(await getText(linked, own)).toBe("restored");
    await linked.put(foreign, body);
    expect(await getText(restored, foreign)).toBe("mine");
  });

  test("what is neither file nor folder is a failure, not a wait", async () => {
    const { store, directory } = await storeWithForeign();
    await mkdir(join(directory, "tenants/a/v1"), { recursive: true });
    await promisify(execFile)("mkfifo", [join(directory, own)]);
    await expect(getText(store, own)).rejects.toMatchObject({
      code: "corrupt_document",
      message: expect.stringContaining("a pipe, a socket"),
    });
    const socket = createServer().listen(join(directory, "runs.json"));
    onTestFinished(() => void socket.close());
    await expect(getText(store, key("runs.json"))).rejects.toMatchObject({ code: "corrupt_document" });
    expect(await listKeys(store, "tenants/a/")).toEqual([]);
  });
});

test.runIf(process.platform === "linux")(
  "links that are swapped in and out while objects are read never show another tenant's bytes",
  async () => {
    const parent = await mkdtemp(join(tmpdir(), "file-store-links-"));
    onTestFinished(() => rm(parent, { recursive: true }));
    const store = createFileStore({ directory: parent });
    await store.put(own, body);
    await store.put(foreign, bytesBody(Buffer.from("theirs")));
    const folder = join(parent, "tenants/a");
    await symlink("b", join(parent, "tenants/link"));
    let isOver = false;
    const swapping = (async () => {
      for (let round = 0; !isOver; round += 1) {
        // Rests of different lengths, so that the reads meet every moment of a swap.
        for (let rest = round % 8; rest > 0; rest -= 1) await lstat(parent);
        await rename(folder, join(parent, "tenants/aside"));
        await rename(join(parent, "tenants/link"), folder);
        await rename(folder, join(parent, "tenants/link"));
        await rename(join(parent, "tenants/aside"), folder);
      }
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 2000; round += 1) {
      seen.add((await getText(store, own).catch((error: Error) => error.name)) ?? "missing");
    }
    isOver = true;
    await swapping;
    expect(seen).not.toContain("theirs");
    expect(seen).toContain("mine");
    // Otherwise nothing was tried.
    expect(seen).toContain("Failure");
  },
);

test("new files and folders are for the owner's group, whatever the umask; a stricter umask stays", async () => {
  const parent = await mkdtemp(join(tmpdir(), "file-store-modes-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  for (const { umask, folderMode, fileMode } of [
    { umask: 0, folderMode: 0o750, fileMode: 0o640 },
    { umask: 0o022, folderMode: 0o750, fileMode: 0o640 },
    { umask: 0o077, folderMode: 0o700, fileMode: 0o600 },
  ]) {
    process.umask(umask);
    const directory = join(parent, umask.toString(8));
    const store = createFileStore({ directory });
    const first = await store.put(own, body);
    if (first.kind !== "stored") throw new Error("refused");
    await store.put(own, bytesBody(Buffer.from("2")), { condition: { kind: "match", etag: first.etag } });
    for (const path of await readdir(directory, { recursive: true })) {
      const found = await lstat(join(directory, path));
      const mode = (found.mode & 0o777).toString(8);
      expect(`${path} ${mode}`).toBe(`${path} ${(found.isDirectory() ? folderMode : fileMode).toString(8)}`);
    }
    expect((await lstat(directory)).mode & 0o777).toBe(folderMode);
  }
});

async function plant(directory: string, link: string, target: string): Promise<void> {
  await mkdir(dirname(join(directory, link)), { recursive: true });
  await symlink(target, join(directory, link));
}
