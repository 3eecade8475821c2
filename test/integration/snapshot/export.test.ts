import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { responseKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { forEachTest } from "../../support/lasting.ts";
import { filesBelow, openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const programs = [
  { programId: "KYOTO-1", name: "Temples" },
  { programId: "NARA-2", name: "Deer" },
];

const tools = forEachTest(openStoreTools);
let folder: string;
beforeEach(async () => {
  await tools.build(programs);
  folder = join(tools.directory, ".exports");
});
const exportTo = (out: string, ...args: string[]) =>
  tools.run(["snapshot", "export", "--tenant", toolsTenant, "--out", out, ...args]);

test("the files are laid out like the URLs and hold the exact stored bytes", async () => {
  const out = join(folder, "a", "b");
  const { status, stdout } = await exportTo(out, "--json");
  expect(status).toBe(0);
  const live = (await tools.current()).snapshotId;
  expect(JSON.parse(stdout)).toEqual({
    tenantId: toolsTenant,
    snapshotId: live,
    directory: out,
    files: 4,
    bytes: expect.any(Number),
  });
  expect(await filesBelow(out)).toEqual([
    "api/v1/partner/programs.json",
    "v1/programs.json",
    "v1/programs/KYOTO-1.json",
    "v1/programs/NARA-2.json",
  ]);
  for (const file of await filesBelow(out)) {
    expect(await readFile(join(out, file))).toEqual(
      await tools.read(`tenants/${toolsTenant}/snapshots/${live}/${file}`),
    );
  }
});

test("--snapshot exports an earlier one, with the files that it shares with others", async () => {
  const first = (await tools.current()).snapshotId;
  await tools.build(
    [programs[0], { programId: "NARA-2", name: "More deer" }].filter((program) => program !== undefined),
  );
  expect((await exportTo(join(folder, "old"), "--snapshot", first)).status).toBe(0);
  expect(await readFile(join(folder, "old/v1/programs/NARA-2.json"), "utf8")).toContain('"Deer"');
  expect((await exportTo(join(folder, "live"))).status).toBe(0);
  expect(await readFile(join(folder, "live/v1/programs/NARA-2.json"), "utf8")).toContain('"More deer"');
  expect(await readFile(join(folder, "live/v1/programs/KYOTO-1.json"), "utf8")).toContain('"Temples"');
});

test("with a damaged object nothing is left half-written", async () => {
  const key = responseKey(parseTenantId(toolsTenant), (await tools.current()).snapshotId, { kind: "list" });
  await tools.store.put(key, bytesBody((await tools.read(key)).reverse()));
  const { status, stderr } = await exportTo(join(folder, "out"));
  expect(status).toBe(1);
  expect(stderr).toContain(key);
  expect(await readdir(tools.directory)).not.toContain(".exports");
});

describe("a place that nothing can be written to is refused, in words and without a trace", () => {
  beforeEach(async () => {
    await mkdir(join(folder, "empty"), { recursive: true });
    await writeFile(join(folder, "file"), "mine");
  });

  test.each<[string, string, (() => Promise<unknown>)?]>([
    ["a file", "file"],
    [
      "a symbolic link to an empty folder",
      "link",
      () => symlink(join(folder, "empty"), join(folder, "link")),
    ],
    ["a symbolic link to itself", "link", () => symlink("link", join(folder, "link"))],
    ["a name that is too long", "x".repeat(300)],
    ["a place of the system", "/dev/null/export"],
  ])("%s", async (_, name, prepare) => {
    await prepare?.();
    const before = await treeOf(folder);
    const out = resolve(folder, name);
    const { status, stdout, stderr } = await exportTo(out);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.split("\n")).toEqual([expect.stringContaining(out), ""]);
    expect(stderr).toMatch(/nothing was written|Nothing was written/);
    expect(stderr).toContain("another with --out");
    expect(await treeOf(folder)).toEqual(before);
  });

  const treeOf = (directory: string): Promise<readonly string[]> => readdir(directory, { recursive: true });
});
