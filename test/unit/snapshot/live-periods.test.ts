import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { livePeriods, type PeriodFacts } from "../../../cli/read/snapshots/tenant-snapshots.ts";
import type { SnapshotId } from "../../../core/ground/ids.ts";

/** Histories of a pointer, and what is left of them in a store. */

const everyStep = ["publish", "rollback", "rollback further", "killed rollback"] as const;
type Step = (typeof everyStep)[number];

/**
 * What happened, and what a store would show of it. Something happens every hour. `marks`: the version of the
 * marks.
 */
function history(steps: readonly Step[], marks: readonly ("0.2" | "0.3")[] = ["0.3"]) {
  const seen: { snapshotId: SnapshotId; from: string; how: string }[] = [];
  const kept: (PeriodFacts & { rollbacks: PeriodFacts["rollbacks"] })[] = [];
  let generation = 0;
  const makeLive = (snapshotId: SnapshotId, from: string, how: string): void => {
    generation += 1;
    seen.push({ snapshotId, from, how });
  };
  for (const [hour, step] of (["publish", ...steps] as const).entries()) {
    const at = instant(hour);
    const live = kept.find(({ snapshotId }) => snapshotId === seen.at(-1)?.snapshotId);
    if (step === "publish" || live === undefined) {
      const snapshotId = `20270101T000000Z-${String(hour).padStart(8, "0")}` as SnapshotId;
      const [parent, storedAt] = [live?.snapshotId ?? null, new Date(at)];
      const facts = { generation: generation + 1, generatedAt: instant(hour - 0.1), storedAt };
      kept.push({ snapshotId, parent, ...facts, rollbacks: [] });
      makeLive(snapshotId, at, "published");
      continue;
    }
    const others = kept.filter((snapshot) => snapshot !== live);
    const to = (step === "rollback further" ? others[0] : others.at(-1))?.snapshotId;
    if (to === undefined) continue;
    const isOld = marks[hour % marks.length] === "0.2";
    // A mark of 0.2 knew its last rollback only.
    live.rollbacks = isOld
      ? [{ at, to: null, generation: null }]
      : [...live.rollbacks, { at, to, generation: generation + 1 }];
    if (step !== "killed rollback") makeLive(to, at, "rolled back to");
  }
  const { snapshotId, from: publishedAt } = seen.at(-1) ?? { snapshotId: "" as SnapshotId, from: "" };
  return { seen, kept, current: { snapshotId, generation, publishedAt } };
}

const instant = (hour: number): string => new Date(Date.UTC(2027, 0, 1) + hour * 3_600_000).toISOString();

const anySteps = fc.array(fc.constantFrom(...everyStep), { maxLength: 9 });

describe("P48: which snapshot was live when", () => {
  test("is what happened, whatever was built, rolled back and killed on the way", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { seen, kept, current } = history(steps);
        const periods = livePeriods(kept, current).toReversed();
        expect(periods.map(({ snapshotId, from, how }) => ({ snapshotId, from, how }))).toEqual(seen);
        expect(periods.map(({ until }) => until)).toEqual([...seen.slice(1).map(({ from }) => from), null]);
      }),
    );
  });

  test("has a gap after a rollback of version 0.2, which left no target", () => {
    const { kept, current } = history(["publish", "publish", "rollback", "publish"], ["0.2"]);
    expect(livePeriods(kept, current).map(({ isAfterGap }) => isAfterGap)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test("ends with what is live now, whatever was pruned", () => {
    fc.assert(
      fc.property(anySteps, fc.array(fc.nat(8)), (steps, pruned) => {
        const { seen, kept, current } = history(steps, ["0.2", "0.3"]);
        const left = kept.filter(
          ({ snapshotId }, at) => snapshotId === current.snapshotId || !pruned.includes(at),
        );
        const { snapshotId, from } = seen.at(-1) ?? { snapshotId: "", from: "" };
        expect(livePeriods(left, current)[0]).toMatchObject({ snapshotId, from, until: null });
      }),
    );
  });
});
