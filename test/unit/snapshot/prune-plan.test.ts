import { expect, test } from "vitest";
import { prunePlan } from "../../../cli/operate/snapshots/prune-tenant.ts";
import type { PublishedSnapshot } from "../../../cli/operate/snapshots/tenant-snapshots.ts";
import { parseSnapshotId } from "../../../core/ids.ts";

const now = new Date("2027-01-31T00:00:00Z");
const hourMs = 3600 * 1000;
const rules = { keep: 2, minAgeMs: 24 * hourMs };

/** Generation `generation`, replaced so many hours ago; the live one when that is `null`. */
function snapshot(generation: number, hoursAgo: number | null, isCondemned = false): PublishedSnapshot {
  const snapshotId = parseSnapshotId(`20270101T0000${String(generation).padStart(2, "0")}Z-00000000`);
  return {
    snapshotId,
    generation,
    parent: null,
    generatedAt: "2027-01-01T00:00:00Z",
    contentAt: "2027-01-01T00:00:00Z",
    programs: 1,
    storedAt: new Date(0),
    isLive: hoursAgo === null,
    liveUntil: hoursAgo === null ? null : new Date(now.getTime() - hoursAgo * hourMs),
    withdrawnAt: null,
    rollbacks: [],
    isCondemned,
  };
}

const generations = (snapshots: readonly PublishedSnapshot[]): number[] =>
  snapshots.map(({ generation }) => generation);

test("the live one and the newest others by generation stay, up to the number", () => {
  const { kept, dropped } = prunePlan(
    [snapshot(4, null), snapshot(3, 99), snapshot(2, 99), snapshot(1, 99)],
    rules,
    now,
  );
  expect(generations(kept)).toEqual([4, 3]);
  expect(generations(dropped)).toEqual([2, 1]);
});

test("a live one of an older generation counts, too", () => {
  const { kept } = prunePlan([snapshot(4, 99), snapshot(3, 99), snapshot(1, null)], rules, now);
  expect(generations(kept)).toEqual([4, 1]);
});

test("what may have been live within the minimum age stays beyond the number", () => {
  const published = [snapshot(4, null), snapshot(3, 1), snapshot(2, 23.9), snapshot(1, 24.1)];
  expect(generations(prunePlan(published, { ...rules, keep: 1 }, now).kept)).toEqual([4, 3, 2]);
});

test("a condemned one does not count, and stays only for readers that may still use it", () => {
  const published = [snapshot(4, null), snapshot(3, 99, true), snapshot(2, 99), snapshot(1, 2, true)];
  const { kept, dropped } = prunePlan(published, rules, now);
  expect(generations(kept)).toEqual([4, 2, 1]);
  expect(generations(dropped)).toEqual([3]);
});
