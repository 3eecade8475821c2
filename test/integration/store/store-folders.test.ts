import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLinkGuard } from "../../../core/file-store/link-guard.ts";
import { createStoreFolders, type StoreFolder } from "../../../core/file-store/store-folders.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-folders-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const touch =
  (name: string) =>
  (folder: StoreFolder): Promise<void> =>
    writeFile(folder.at(name), "");

test("an opening that began before the folder was made, and is told of late, fails nobody who shares it", async () => {
  const guard = createLinkGuard(root);
  const parent = join(root, "a");
  const folders = createStoreFolders({
    ...guard,
    async open(path, flags) {
      try {
        return await guard.open(path, flags);
      } catch (error) {
        // Long enough for the other put to come by.
        if (path === parent) await delay(200);
        throw error;
      }
    },
  });
  const first = folders.withinMade(parent, touch("first"));
  const second = folders.withinMade(join(parent, "b"), touch("second"));
  await Promise.all([first, second]);
  expect((await readdir(root, { recursive: true })).sort()).toEqual(["a", "a/b", "a/b/second", "a/first"]);
});

test("a folder that was removed after it was opened is made again", async () => {
  const folders = createStoreFolders(createLinkGuard(root));
  const folder = join(root, "a", "b");
  let removals = 2;
  await folders.withinMade(folder, async (open) => {
    if (removals > 0) {
      removals -= 1;
      await rm(join(root, "a"), { recursive: true });
    }
    await touch("file")(open);
  });
  expect(await readdir(folder)).toEqual(["file"]);
});

test("files that begin at once in a folder that is missing share the syncs of the folders above", async () => {
  const guard = createLinkGuard(root);
  let synced = 0;
  const folders = createStoreFolders({
    ...guard,
    async open(path, flags) {
      const file = await guard.open(path, flags);
      const sync = file.sync.bind(file);
      return Object.assign(file, {
        sync: () => {
          synced += 1;
          return sync();
        },
      });
    },
  });
  const folder = join(root, "a", "b", "c");
  const names = Array.from({ length: 32 }, (_, at) => `file-${at}`);
  await Promise.all(names.map((name) => folders.withinMade(folder, touch(name))));
  expect(await readdir(folder)).toHaveLength(32);
  // The root, a and b, each at most twice: a name that was made during a sync needs the next one.
  expect(synced).toBeLessThanOrEqual(6);
});
