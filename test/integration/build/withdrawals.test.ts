import { beforeEach, describe, expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { manifestKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { changedSince } from "../../../gateway/request/respond.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import { publishManifest } from "../../support/gateway-snapshots.ts";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const acme = parseTenantId("acme");
const bench = freshWorkbench("acme");

beforeEach(async () => {
  await bench.insertMany("acme", 12);
  await bench.build();
});

async function set(column: string, value: string | null, where: string): Promise<void> {
  await bench.source.query(`UPDATE partner_source.programs SET ${column} = $1 WHERE ${where}`, [value]);
}

async function servedIds(): Promise<readonly string[]> {
  const { list, legacy, details } = await bench.published("acme");
  expect(legacy.programs.length).toBe(list.data.length);
  expect([...details.keys()].sort()).toEqual(list.data.map(({ id }) => id).sort());
  return list.data.map(({ id }) => id);
}

async function build(...args: readonly string[]): Promise<{
  readonly status: number;
  readonly run: ReturnType<typeof tenantRun>;
  readonly report: RunReport;
}> {
  const { status, report } = await bench.build(args);
  return { status, report, run: tenantRun(report, "acme") };
}

const eleven = Array.from({ length: 12 }, (_, at) => `p-${at + 1}`)
  .filter((id) => id !== "p-3")
  .sort();

describe("P20 a withdrawal arrives", () => {
  test.each(["draft", "cancelled", "COMPLETED", "archived", "Ended"])(
    "by the next build, for the state %s, however faulty the withdrawn program is",
    async (state) => {
      await set("name", null, "program_id = 'p-3'");
      await set("lifecycle_state", state, "program_id = 'p-3'");
      const { status, run } = await build();
      expect(status).toBe(0);
      expect(run).toMatchObject({ outcome: "published", counts: { withdrawn: 1, removed: 1, invalid: 0 } });
      expect(await servedIds()).toEqual(eleven);
    },
  );

  test("and what stays keeps the date of its own reading, through several withdrawals", async () => {
    const { manifest: first } = await bench.published("acme");
    expect(first.contentAt).toBeUndefined();
    for (const id of ["p-3", "p-4"]) {
      await set("lifecycle_state", "cancelled", `program_id = '${id}'`);
      await set("name", null, "program_id = 'p-5'");
      await build("--on-invalid", "fail");
    }
    const { manifest } = await bench.published("acme");
    expect(manifest.contentAt).toBe(first.generatedAt);
    expect(manifest.generatedAt > first.generatedAt).toBe(true);
    // W180: partners ask for no detail anew.
    expect(changedSince(manifest, first.snapshotId)).toBe("");
    await set("name", "Mended", "program_id = 'p-5'");
    await build();
    expect((await bench.published("acme")).manifest.contentAt).toBeUndefined();
  });

  test("under --on-invalid fail, which keeps everything else as it was", async () => {
    await set("lifecycle_state", "cancelled", "program_id = 'p-3'");
    await set("name", " ", "program_id = 'p-4'");
    await set("name", "Renamed", "program_id = 'p-5'");
    await bench.insertPrograms("acme", "new");
    const { status, run } = await build("--on-invalid", "fail");
    expect(status).toBe(1);
    expect(run).toMatchObject({
      outcome: "failed",
      livePrograms: 11,
      failure: { code: "invalid_program" },
      counts: { withdrawn: 1 },
    });
    expect(await servedIds()).toEqual(eleven);
    const { details, manifest, current } = await bench.published("acme");
    expect(details.get("p-5")?.name).toBe("Tour 5");
    expect(manifest.parent).toBe(run.previousSnapshotId);
    expect(current.hold).toBeNull();
  });

  test("also in a live list of another version, whose elements have other keys, as after an incremental build", async () => {
    const args = ["snapshot", "show", "--tenant", "acme", "--list", "--raw"];
    const shown = async () => (await bench.run(args)).stdout;
    const text = (await shown())
      .replaceAll(',"capacity":', ',"rating":{"total":5},"capacity":')
      .replaceAll(',"prices":', ',"seats":[1],"prices":');
    const { manifest } = await bench.published("acme");
    const { bytes, sha256, size } = bytesBody(Buffer.from(text));
    await bench.store.put(manifest.list.key, { bytes, sha256, size });
    await publishManifest(bench.store, { ...manifest, list: { ...manifest.list, sha256, size } });
    const kept = async () => (await shown()).match(/"rating":/g)?.length;
    await set("name", "Second", "program_id = 'p-1'");
    // A run of all would find in its spot check that these elements are not what the rows give.
    expect((await build("--tenant", "acme")).run).toMatchObject({
      outcome: "published",
      counts: { changed: 1 },
    });
    expect(await kept()).toBe(11);
    await set("lifecycle_state", "cancelled", "program_id = 'p-3'");
    await set("name", " ", "program_id = 'p-4'");
    expect((await build("--on-invalid", "fail")).run).toMatchObject({ livePrograms: 11 });
    expect(await kept()).toBe(10);
  });

  test("when the shrink guard refuses the rest", async () => {
    await set("lifecycle_state", "ended", "program_id = 'p-3'");
    await bench.source.query(
      "DELETE FROM partner_source.programs WHERE program_id IN ('p-4','p-5','p-6','p-7','p-8','p-9','p-10')",
    );
    const { status, run } = await build();
    expect(status).toBe(4);
    expect(run).toMatchObject({ outcome: "refused", livePrograms: 11, counts: { withdrawn: 1 } });
    expect(run.failure?.message).toContain("Of the 12 programs of tenant acme, 7 are gone");
    expect(await servedIds()).toEqual(eleven);
  });

  test("on hold, and the hold stays", async () => {
    await set("name", "Second", "program_id = 'p-1'");
    await build();
    await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
    const { hold } = (await bench.published("acme")).current;
    await set("lifecycle_state", "cancelled", "program_id = 'p-3'");
    const { status, run, report } = await build();
    expect([status, report.outcome]).toEqual([0, "published"]);
    expect(run).toMatchObject({ outcome: "held", livePrograms: 11, counts: { withdrawn: 1 } });
    expect((await bench.build()).report.outcome).toBe("unchanged");
    const { current, details } = await bench.published("acme");
    expect(current.hold).toEqual(hold);
    expect(details.get("p-1")?.name).toBe("Tour 1");
    expect(await servedIds()).toEqual(eleven);
    expect((await build("--tenant", "acme")).status).toBe(4);
    await bench.run(["snapshot", "release", "--tenant", "acme"]);
    expect((await build()).run).toMatchObject({ outcome: "published" });
    expect((await bench.published("acme")).details.get("p-1")?.name).toBe("Second");
    expect(await servedIds()).toEqual(eleven);
  });
});

test.each([
  ["a row that is gone", "DELETE FROM partner_source.programs WHERE program_id = 'p-3'"],
  [
    "an unknown state",
    "UPDATE partner_source.programs SET lifecycle_state = 'sold' WHERE program_id = 'p-3'",
  ],
  ["no state", "UPDATE partner_source.programs SET lifecycle_state = NULL WHERE program_id = 'p-3'"],
  [
    "a cancelled row beside an active one of the same id",
    "INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state) VALUES ('acme', 'p-3', 'Twin', 'cancelled')",
  ],
])("P20 what is no withdrawal: %s", async (_, sql) => {
  await bench.source.query(sql);
  await set("name", " ", "program_id = 'p-4'");
  const { run } = await build("--on-invalid", "fail");
  expect(run).toMatchObject({ outcome: "failed", counts: { withdrawn: 0 } });
  expect(run.snapshotId).toBe(run.previousSnapshotId);
  expect(await servedIds()).toHaveLength(12);
});

test("a build that may not publish cannot withdraw from a snapshot whose manifest is damaged, and says that it is", async () => {
  await bench.run(["snapshot", "build", "--rewrite"]);
  await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
  const { snapshotId } = (await bench.published("acme")).current;
  await bench.store.delete([manifestKey(acme, snapshotId)]);
  await set("lifecycle_state", "cancelled", "program_id = 'p-3'");
  expect((await build()).run).toMatchObject({ outcome: "held", problemCounts: { manifest_unreadable: 1 } });
});
