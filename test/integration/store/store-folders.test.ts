import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
