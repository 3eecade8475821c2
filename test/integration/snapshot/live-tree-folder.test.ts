import { spawnSync } from "node:child_process";
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { temporaryName } from "../../../core/file-store/new-file.ts";
import { fileBench, type LiveTreeBench, livePath } from "../../support/live-tree-bench.ts";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

const kyoto = { programId: "KYOTO-1", name: "Temples" };
const nara = { programId: "NARA-2", name: "Deer" };

describe("the files of the tree for people in a folder", () => {
  let directory: string;
  let bench: LiveTreeBench;
  const live = (name: string): string => join(directory, livePath, name);
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "live-tree-"));
    bench = fileBench(directory);
    await bench.build([kyoto, nara]);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test("P27 they are the snapshot's by a second name, read-only; a forced change is damage of the snapshot", async () => {
    for (const name of ["v1/programs.json", "v1/programs/KYOTO-1.json", "api/v1/partner/programs.json"]) {
      const { nlink, mode } = await stat(live(name));
      expect([nlink, (mode & 0o777).toString(8)]).toEqual([2, "440"]);
    }
    expect((await stat(live("README.txt"))).nlink).toBe(1);
    await chmod(live("v1/programs/KYOTO-1.json"), 0o640);
    await appendFile(live("v1/programs/KYOTO-1.json"), "edited");
    const verified = await bench.run(["snapshot", "verify", "--json"]);
    const codes = JSON.parse(verified.stdout).tenants[0].findings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(["object_damaged"]);
    expect((await bench.run(["snapshot", "verify"])).stdout).toContain("--rewrite");
    await bench.build([kyoto, nara], { rewrite: true });
    expect(await bench.faults()).toEqual([]);
    expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  });

  test("P27 a prune that deletes a snapshot leaves the tree's files", async () => {
    const text = await readFile(live("v1/programs/NARA-2.json"), "utf8");
    await rm(join(directory, "tenants/sakura-trails/snapshots"), { recursive: true });
    expect(await readFile(live("v1/programs/NARA-2.json"), "utf8")).toBe(text);
  });

  test.each(["build", "prune"])("P176 what a killed build left goes with the next %s", async (next) => {
    const dead = spawnSync("true").pid;
    const leftovers = ["live/v1/programs", "snapshots/20200101T000000Z-00000000/v1/programs"].map((folder) =>
      join(
        directory,
        "tenants/sakura-trails",
        folder,
        temporaryName().replace(`-${process.pid}-`, `-${dead}-`),
      ),
    );
    const own = live(temporaryName());
    for (const path of [...leftovers, own]) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, "cut");
    }
    if (next === "build") expect(await bench.build([kyoto])).toBe("updated");
    else expect((await bench.run(["snapshot", "prune"])).status).toBe(0);
    const left = (await readdir(directory, { recursive: true })).filter((name) => name.includes(".new-"));
    // A process that lives may still be at work.
    expect(left).toEqual([expect.stringContaining(basename(own))]);
  });

  test("P7 a build without changes writes nothing there", async () => {
    const times = async (): Promise<readonly (readonly [string, bigint, bigint])[]> => {
      const names = await readdir(join(directory, livePath), { recursive: true });
      const found = await Promise.all(
        names.sort().map(async (name) => [name, await stat(live(name), { bigint: true })] as const),
      );
      return found.map(([name, { mtimeNs, ino }]) => [name, mtimeNs, ino] as const);
    };
    const before = await times();
    expect(await bench.build([kyoto, nara])).toBe("nothing");
    expect(await times()).toEqual(before);
  });

  test("files that did not change stay the very same when others do", async () => {
    const before = await stat(live("v1/programs/NARA-2.json"), { bigint: true });
    expect(await bench.build([{ ...kyoto, name: "Shrines" }, nara])).toBe("updated");
    const after = await stat(live("v1/programs/NARA-2.json"), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });
});

describe("`snapshot build` and the tree for people", () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench();
  });
  beforeEach(async () => {
    await bench.reset();
    await bench.source.insert("tenants", { tenant_id: "acme", name: "Acme" });
    await bench.insertPrograms("acme", "KYOTO-1", "NARA-2");
  });
  afterAll(() => bench.close());
  const live = (name: string): string => join(bench.storeDirectory, "tenants/acme/live", name);

  test("P28 a tree that cannot be kept is a line on standard error, and the tenant is published", async () => {
    await bench.build();
    await rm(live("v1/programs.json"));
    await symlink("nowhere", live("v1/extra"));
    await bench.insertPrograms("acme", "OSAKA-3");
    await rm(live("README.txt"));
    const { status, report, stderr } = await bench.build([], { env: { LOG_LEVEL: "silent" } });
    expect([status, report.tenants[0]?.outcome]).toEqual([0, "published"]);
    expect(stderr).toMatch(/^partner-programs: warning: tenants\/acme\/live\/ .*extra is a symbolic link/);
    await rm(live("v1/extra"));
    expect((await bench.build([], { env: { LOG_LEVEL: "silent" } })).stderr).toBe("");
    expect((await bench.run(["snapshot", "verify"])).status).toBe(0);
  });

  test("the folder is there by default, a dry run leaves it alone, and LIVE_COPY=off removes it", async () => {
    await bench.build(["--dry-run"]);
    await expect(readdir(live(""))).rejects.toMatchObject({ code: "ENOENT" });
    await bench.build();
    expect(await readFile(live("README.txt"), "utf8")).toContain("Programs            2");
    expect((await readdir(live("v1/programs"))).sort()).toEqual(["KYOTO-1.json", "NARA-2.json"]);
    await bench.build([], { env: { LIVE_COPY: "off" } });
    await expect(readdir(live(""))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
