import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readPointer } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import { currentBytes } from "../../../core/documents/current.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey, manifestKey, sourceMemoryKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { buildWithoutEffect } from "../../support/build-effect.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const bench = freshWorkbench("acme");

describe("a store that is not as it should be", () => {
  beforeEach(async () => {
    await bench.insertMany("acme", 3);
    await bench.build();
  });

  async function breakManifest(bytes: string | undefined): Promise<void> {
    const { current } = await bench.published("acme");
    const key = manifestKey(acme, current.snapshotId);
    if (bytes === undefined) await bench.store.delete([key]);
    else await bench.store.put(key, bytesBody(Buffer.from(bytes)));
  }

  test.each([
    ["missing", undefined],
    ["of other bytes", "{}"],
    ["empty", ""],
  ])("a live manifest that is %s is mended: every file is written anew", async (_, bytes) => {
    const broken = (await bench.published("acme")).current.snapshotId;
    await breakManifest(bytes);
    const { status, report } = await bench.build();
    expect(status).toBe(0);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "published",
      counts: { programs: 3, added: 3, unchanged: 0, removed: 0 },
      problems: [{ severity: "warning", code: "manifest_unreadable" }],
    });
    const { manifest, list } = await bench.published("acme");
    expect(list.meta.count).toBe(3);
    expect(manifest.parent).toBe(broken);
    const folders = [...manifest.programs.ids()].map((id) => manifest.programs.get(id)?.snapshotId);
    expect(new Set(folders)).toEqual(new Set([manifest.snapshotId]));
    expect((await bench.build()).report.outcome).toBe("unchanged");
  });

  test("a broken manifest does not open the shrink guard: an empty source is still refused", async () => {
    await breakManifest("{}");
    await bench.source.query("DELETE FROM partner_source.programs");
    const { status } = await buildWithoutEffect(bench);
    expect([status, (await bench.build(["--allow-shrink"])).status]).toEqual([4, 0]);
  });

  test.each([
    ["no JSON", "nonsense"],
    ["of another format", '{"format":"partner-programs/current@9"}'],
    ["empty", ""],
  ])("a current.json that is %s fails its tenant clearly, and nothing is changed", async (_, bytes) => {
    await writeFile(join(bench.storeDirectory, currentKey(acme)), bytes);
    const { status, report } = await buildWithoutEffect(bench);
    expect(status).toBe(1);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "failed",
      snapshotId: null,
      failure: { code: "corrupt_document", message: expect.stringContaining("current.json of tenant acme") },
    });
  });

  test("P3 a lost or damaged current.json is mended by its step, above all that gateways saw", async () => {
    const { current } = await bench.published("acme");
    await writeFile(join(bench.storeDirectory, currentKey(acme)), '{"format":');
    for (const args of [["--rewrite"], []]) {
      const { report } = await bench.build(args);
      expect(tenantRun(report, "acme").failure?.message).toMatch(
        /Remove tenants\/acme\/current\.json, then run `snapshot build --tenant acme`/,
      );
    }
    await bench.store.delete([currentKey(acme)]);
    expect((await bench.build(["--tenant", "acme"])).status).toBe(0);
    expect((await bench.published("acme")).current.generation).toBeGreaterThan(current.generation);
  });

  test("a current.json of another tenant is not believed", async () => {
    await bench.source.insert("tenants", { tenant_id: "beta" });
    const pointer = await readPointer(bench.store, acme, new AbortController().signal);
    if (pointer === undefined) throw new Error("no pointer");
    await bench.store.put(currentKey(parseTenantId("beta")), bytesBody(currentBytes(pointer.current)));
    const { status, report } = await bench.build();
    expect(status).toBe(3);
    expect(tenantRun(report, "beta").failure).toEqual({
      code: "corrupt_document",
      message: expect.stringMatching(
        /^current\.json of tenant beta belongs to another tenant\. Remove tenants\/beta\/current\.json, then run /,
      ),
    });
  });

  test("a memory that cannot be written fails nothing, and is told", async () => {
    await bench.source.update("name = 'New'", "p-1");
    const path = join(bench.storeDirectory, sourceMemoryKey(acme));
    await rm(path);
    await mkdir(path);
    await writeFile(join(path, "in-the-way"), "");
    const { status, report } = await bench.build();
    expect(status).toBe(0);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "published",
      problemCounts: { memory_unwritten: 1 },
    });
    expect((await bench.published("acme")).details.get("p-1")?.name).toBe("New");
  });
});
