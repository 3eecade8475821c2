import { spawnSync } from "node:child_process";
import { appendFile, chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
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

  test.each(["build", "prune"])("P174 what a killed build left goes with the next %s", async (next) => {
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
    if (next === "build") expect(await bench.build([kyoto])).toEqual({ mayExist: true, warning: "" });
    else expect((await bench.run(["snapshot", "prune"])).status).toBe(0);
    const left = (await readdir(directory, { recursive: true })).filter((name) => name.includes(".new-"));
    // A process that lives may still be at work.
    expect(left).toEqual([expect.stringContaining(basename(own))]);
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

  test("P27 a tree that cannot be kept is a line on standard error, and the tenant is published", async () => {
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
});
