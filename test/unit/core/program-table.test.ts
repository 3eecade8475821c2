import { describe, expect, test } from "vitest";
import { parseProgramId, parseSnapshotId } from "../../../core/ids.ts";
import { type ProgramRecord, ProgramTable } from "../../../core/program-table.ts";

const snapshots = ["20260131T120000Z-0a1b2c3d", "20260201T120000Z-00000000"].map(parseSnapshotId);

function record(at: number): ProgramRecord {
  const snapshotId = snapshots[at % 2];
  if (snapshotId === undefined) throw new Error("no snapshot");
  return { snapshotId, sha256: at.toString(16).padStart(64, "0"), size: (at * 7919) % 2 ** 32 };
}

describe("a program table", () => {
  test("gives back what was added, in the order of adding, beyond every growth", () => {
    const table = new ProgramTable();
    const ids = Array.from({ length: 5000 }, (_, at) => parseProgramId(`p${at}`));
    for (const [at, id] of ids.entries()) expect(table.add(id, record(at))).toBe(true);
    expect(table.count).toBe(5000);
    expect(ids.every((id) => table.has(id))).toBe(true);
    expect([...table.ids()]).toEqual(ids);
    for (const [at, id] of ids.entries()) expect(table.get(id)).toEqual(record(at));
  });

  test("refuses an id that it has, and keeps the first record", () => {
    const table = new ProgramTable();
    const id = parseProgramId("p1");
    table.add(id, record(1));
    expect(table.add(id, record(2))).toBe(false);
    expect(table.get(id)).toEqual(record(1));
    expect(table.count).toBe(1);
  });

  test.each(["p2", "", "constructor", "toString", "__proto__", "hasOwnProperty"])(
    "W22 does not know %j",
    (id) => {
      const table = new ProgramTable();
      table.add(parseProgramId("p1"), record(1));
      expect(table.get(id)).toBeUndefined();
      expect(table.has(id)).toBe(false);
    },
  );

  test("keeps the largest size that a manifest may state", () => {
    const table = new ProgramTable();
    const largest = { ...record(3), size: 2 ** 32 - 1, sha256: "f".repeat(64) };
    table.add(parseProgramId("p"), largest);
    expect(table.get("p")).toEqual(largest);
  });
});
