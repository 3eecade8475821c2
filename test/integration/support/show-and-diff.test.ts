import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { freshForEachTest } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const desk = freshForEachTest(openSupportDesk);
const tenant = ["--tenant", deskTenant];

beforeEach(async () => {
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
});

async function change(sql: string): Promise<void> {
  await desk.source.query(sql);
  await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
}

async function summary(...args: readonly string[]): Promise<Record<string, unknown>> {
  return (await desk.json(["snapshot", "show", ...tenant, ...args])) as Record<string, unknown>;
}

test.each([
  ["--program", ["KYOTO-1"], "v1/programs/KYOTO-1.json"],
  ["--list", [], "v1/programs.json"],
  ["--legacy", [], "api/v1/partner/programs.json"],
])(
  "snapshot show %s --raw gives the exact stored bytes, and without --raw the same in lines",
  async (option, value, path) => {
    const { snapshotId } = await summary();
    const file = join(desk.storeDirectory, "tenants", deskTenant, "snapshots", String(snapshotId), path);
    const stored = await readFile(file);
    const raw = await desk.run(["snapshot", "show", ...tenant, option, ...value, "--raw"]);
    expect(raw.stdoutBytes.equals(stored)).toBe(true);
    const pretty = await desk.run(["snapshot", "show", ...tenant, option, ...value]);
    expect(pretty.stdout).toBe(`${JSON.stringify(JSON.parse(stored.toString()), null, 2)}\n`);
  },
);

describe("snapshot diff", () => {
  test("compares the live snapshot with the one before, field by field, in words", async () => {
    await change(`
      UPDATE partner_source.programs SET included = '{Lunch,Breakfast,"Museum pass"}' WHERE program_id = 'KYOTO-1';
      UPDATE partner_source.room_prices SET amount = 1590 WHERE occupancy = 1;
      UPDATE partner_source.programs SET lifecycle_state = 'active' WHERE program_id = 'OSAKA-3';
      UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'NARA-2'`);
    const { status, stdout } = await desk.run(["snapshot", "diff", ...tenant]);
    expect(status).toBe(0);
    expect(stdout.split("\n").slice(3)).toEqual([
      "- NARA-2  Deer of Nara",
      "+ OSAKA-3  Osaka by night",
      "~ KYOTO-1  Temples of Kyoto",
      "    Room for 1: 1,490.00 EUR → 1,590.00 EUR",
      '    Content, included 1: + "Lunch"',
      "",
      "1 removed, 1 added, 1 changed, 0 the same.",
      "",
    ]);
  });

  test("after a rollback shows what the rollback changed, and of an earlier snapshot what its build did", async () => {
    const { snapshotId: first } = await summary();
    await change("UPDATE partner_source.programs SET name = 'Temples' WHERE program_id = 'KYOTO-1'");
    const { snapshotId: second } = await summary();
    await desk.run(["snapshot", "rollback", ...tenant], { now: new Date("2026-11-21T10:00:00.000Z") });
    const now = await desk.json(["snapshot", "diff", ...tenant]);
    expect(now).toMatchObject({ from: { snapshotId: second }, to: { snapshotId: first }, changed: [{}] });
    await desk.run(["snapshot", "release", ...tenant]);
    await desk.source.query("DELETE FROM partner_source.programs WHERE program_id = 'NARA-2'");
    await desk.build({ now: new Date("2026-11-21T11:00:00.000Z") });
    const then = await desk.json(["snapshot", "diff", ...tenant]);
    expect(then).toMatchObject({ from: { snapshotId: first }, removed: [{ programId: "NARA-2" }] });
    const { stdout } = await desk.run(["snapshot", "rollback", ...tenant, "--to", String(second)]);
    expect(stdout).toContain(String(second));
    expect(await desk.json(["snapshot", "diff", ...tenant])).toMatchObject({ to: { snapshotId: second } });
  });
});
