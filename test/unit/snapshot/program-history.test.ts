import { expect, test } from "vitest";
import { programHistory } from "../../../cli/operate/snapshots/program-history.ts";
import { parseProgramId, parseSnapshotId, parseTenantId, type SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { responseKey } from "../../../core/object-key.ts";
import { ProgramTable } from "../../../core/program-table.ts";

const tenantId = parseTenantId("acme");
const sha256 = "0".repeat(64);

/** The snapshot of day `day`, with programs and the day of the build that wrote each. */
function snapshot(day: number, programs: Readonly<Record<string, number>>): Manifest {
  const table = new ProgramTable();
  for (const [id, writtenOn] of Object.entries(programs)) {
    table.add(parseProgramId(id), { snapshotId: snapshotOf(writtenOn), sha256, size: 1 });
  }
  const entry = { key: responseKey(tenantId, snapshotOf(day), { kind: "list" }), sha256, size: 1 };
  return {
    tenantId,
    generation: day,
    snapshotId: snapshotOf(day),
    parent: day === 1 ? null : snapshotOf(day - 1),
    generatedAt: `2026-11-0${day}T00:00:00.000Z`,
    contract: "1",
    list: entry,
    legacy: entry,
    programs: table,
  };
}

function snapshotOf(day: number) {
  return parseSnapshotId(`2026110${day}T000000Z-0000000${day}`);
}

const first = snapshot(1, { a: 1, gone: 1 });
const second = snapshot(2, { a: 2, gone: 1 });
const third = snapshot(3, { a: 2, new: 3 });
const all = {
  manifests: [third, second, first],
  withdrawnAt: new Map<SnapshotId, Date>(),
  isCut: false,
  hasGaps: false,
};
const rollbackAt = new Date("2026-11-03T12:00:00.000Z");
const rolledBack = { ...all, withdrawnAt: new Map([[snapshotOf(3), rollbackAt]]) };

test("A program that was always there is served since the first snapshot, its content since it last changed", () => {
  const history = programHistory(all, third, "a");
  expect([history.first?.snapshotId, history.last?.snapshotId]).toEqual([snapshotOf(1), snapshotOf(3)]);
  expect([history.unchangedSince, history.removedBy, history.isServed]).toEqual([snapshotOf(2), null, true]);
});

test("A program that is gone was taken out by the snapshot after the last one that has it", () => {
  const history = programHistory(all, third, "gone");
  expect([history.last?.snapshotId, history.removedBy?.snapshotId, history.isServed]).toEqual([
    snapshotOf(2),
    snapshotOf(3),
    false,
  ]);
});

test("A program that no snapshot has is in none", () => {
  const history = programHistory({ ...all, isCut: true }, third, "never");
  expect([history.first, history.last, history.snapshotsExamined, history.isCut]).toEqual([
    null,
    null,
    3,
    true,
  ]);
});

test("P48 A program of a snapshot that a rollback replaced is not served, and no snapshot took it out", () => {
  const history = programHistory(rolledBack, second, "new");
  expect(history).toMatchObject({ last: { snapshotId: snapshotOf(3) }, removedBy: null, isServed: false });
  expect(history.rolledBackAt).toBe(rollbackAt.toISOString());
});

test("P48 After a rollback the content is as the live snapshot has it, not as the newest does", () => {
  const history = programHistory(rolledBack, first, "a");
  expect(history).toMatchObject({ isServed: true, rolledBackAt: null, removedBy: null });
  expect([history.last?.snapshotId, history.unchangedSince]).toEqual([snapshotOf(1), snapshotOf(1)]);
});

test("P48 A build after a rollback did not take out what the rollback took back", () => {
  const fourth = { ...snapshot(4, { a: 4 }), parent: snapshotOf(2) };
  const history = programHistory({ ...rolledBack, manifests: [fourth, third, second, first] }, fourth, "new");
  expect(history).toMatchObject({ removedBy: null, rolledBackAt: rollbackAt.toISOString() });
});

test("P48 A build upon a snapshot that was made live again and replaced took out what it lacks", () => {
  const fourth = snapshot(4, { a: 4 });
  const history = programHistory({ ...rolledBack, manifests: [fourth, third, second, first] }, fourth, "new");
  expect(history).toMatchObject({ removedBy: { snapshotId: snapshotOf(4) }, rolledBackAt: null });
});
