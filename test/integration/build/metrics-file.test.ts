import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderForAllTests } from "../../support/lasting.ts";
import { useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
const folder = folderForAllTests();
let file: string;

beforeEach(async () => {
  file = join(folder, "builder.prom");
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 12);
  await bench.insertPrograms("beta", "b");
});

const build = (...args: readonly string[]) =>
  bench.run(["snapshot", "build", "--metrics-file", file, ...args]);

async function sample(name: string): Promise<number | undefined> {
  const lines = (await readFile(file, "utf8")).split("\n");
  const line = lines.find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

const status = (outcome: string, kind = "round") =>
  sample(`builder_last_run_status{kind="${kind}",outcome="${outcome}"}`);
const confirmed = (tenant: string) =>
  sample(`builder_tenant_confirmed_timestamp_seconds{tenant="${tenant}"}`);

describe("--metrics-file", () => {
  test("says what the last run was, when the store was begun and how old each tenant is", async () => {
    expect((await build()).status).toBe(0);
    expect([await status("published"), await status("unchanged")]).toEqual([1, 0]);
    const isRecent = (seconds = 0): boolean => Math.abs(Date.now() / 1000 - seconds) < 60;
    const first = await confirmed("acme");
    expect(isRecent(first)).toBe(true);
    expect(isRecent(await sample("builder_store_begun_timestamp_seconds"))).toBe(true);
    expect(await readFile(file, "utf8")).toMatch(
      /^builder_build_info\{version="[^"]+",code="[^"]+",node="v/m,
    );
    expect((await build()).status).toBe(0);
    expect([await status("published"), await status("unchanged")]).toEqual([0, 1]);
    expect(await confirmed("acme")).toBeGreaterThan(first ?? 0);
    expect(await sample('builder_last_run_duration_seconds{kind="round"}')).toBeLessThan(60);
  });

  test("P115 has nothing that adds up, so builds that end at once lose nothing of each other", async () => {
    await build();
    const ended = await Promise.all(
      ["acme", "beta", "acme", "beta"].map((tenant) => build("--tenant", tenant)),
    );
    expect(ended.map((result) => result.status)).toEqual([0, 0, 0, 0]);
    const text = await readFile(file, "utf8");
    expect(text).not.toMatch(/# TYPE \S+ (?!gauge)|_total/);
    expect([await status("published"), await status("unchanged", "asked")]).toEqual([1, 1]);
    expect([await confirmed("acme"), await confirmed("beta")]).not.toContain(undefined);
  });

  test("P115 is written when a guard refuses a tenant, whose age goes on", async () => {
    await build();
    const [acme, beta] = [await confirmed("acme"), (await confirmed("beta")) ?? 0];
    await bench.source.query("DELETE FROM partner_source.programs WHERE tenant_id = 'acme'");
    expect([(await build()).status, await status("partial")]).toEqual([3, 1]);
    expect(await confirmed("acme")).toBe(acme);
    expect(await confirmed("beta")).toBeGreaterThan(beta);
    expect([(await build("--tenant", "acme")).status, await status("refused", "asked")]).toEqual([4, 1]);
    const shard = await build("--shard", "1/1");
    expect([shard.status, await status("partial", "shard")]).toEqual([3, 1]);
    // A build of some tenants says nothing of the last run of all.
    expect([await status("partial"), await status("refused")]).toEqual([1, 0]);
  });

  test.each([
    ["no database", { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, 1],
    ["wrong settings", { MAX_VALUE_KB: "many" }, 2],
    ["a store that cannot be one", { STORE_URL: "file:/dev/null/store" }, 1],
  ])("P115 is written when a run fails: %s", async (_what, env, expected) => {
    await build();
    const before = await confirmed("acme");
    const result = await bench.run(["snapshot", "build", "--metrics-file", file], { env });
    expect(result.status).toBe(expected);
    expect([await status("published"), await status("failed")]).toEqual([0, 1]);
    expect(await confirmed("acme")).toBe(before);
  });

  test("P115 is replaced as a whole, readable by all, and nothing lies beside it", async () => {
    await writeFile(file, "not metrics\n");
    await chmod(file, 0o600);
    const { ino } = await stat(file);
    const umask = process.umask(0o077);
    try {
      await build();
    } finally {
      process.umask(umask);
    }
    const after = await stat(file);
    expect(after.ino).not.toBe(ino);
    expect((after.mode & 0o777).toString(8)).toBe("644");
    expect(await readFile(file, "utf8")).not.toContain("not metrics");
    expect(await readdir(folder)).toEqual(["builder.prom"]);
  });

  test.each([
    ["a folder that is missing", (path: string) => join(path, "none/builder.prom"), "missing"],
    ["a folder", (path: string) => path, "is a folder"],
    ["below a file", (path: string) => join(path, "plain/builder.prom"), "no folder"],
    ["a device", () => "/dev/null", "is no regular file"],
  ])("P115 %s is exit status 2 before anything is built", async (_what, place, words) => {
    await writeFile(join(folder, "plain"), "");
    const result = await bench.run(["snapshot", "build", "--metrics-file", place(folder)]);
    expect(result.status).toBe(2);
    expect(result.stderr).toContain(words);
    expect(await readdir(bench.storeDirectory)).toEqual([]);
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });
});
