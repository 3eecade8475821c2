import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type LivePeriod,
  livePeriods,
  type PeriodFacts,
  periodsAt,
} from "../../../cli/operate/snapshots/live-periods.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import { sized } from "../../support/quick-pass.ts";

/** Histories of a pointer, and what is left of them in a store. */

const everyStep = ["publish", "rollback", "rollback further", "killed rollback", "prune"] as const;
type Step = (typeof everyStep)[number];

interface Stored extends PeriodFacts {
  withdrawnAt: Date | null;
}

/** What happened, and what a store would show of it. Something happens every hour. */
function history(steps: readonly Step[]) {
  const seen: { readonly at: number; readonly snapshotId: SnapshotId }[] = [];
  const kept: Stored[] = [];
  let generation = 0;
  let current: { snapshotId: SnapshotId; generation: number; publishedAt: string } | undefined;
  const makeLive = (snapshotId: SnapshotId, hour: number): void => {
    generation += 1;
    current = { snapshotId, generation, publishedAt: instant(hour) };
    seen.push({ at: hour, snapshotId });
  };
  for (const [hour, step] of (["publish", ...steps] as const).entries()) {
    const live = kept.find(({ snapshotId }) => snapshotId === current?.snapshotId);
    if (step === "publish") {
      const snapshotId = `snapshot-${hour}` as SnapshotId;
      const [generatedAt, storedAt] = [instant(hour - 0.1), new Date(instant(hour))];
      kept.push({
        snapshotId,
        parent: live?.snapshotId ?? null,
        generation: generation + 1,
        generatedAt,
        storedAt,
        withdrawnAt: null,
      });
      makeLive(snapshotId, hour);
      continue;
    }
    if (live === undefined) continue;
    if (step === "prune") {
      const at = kept.findIndex(({ snapshotId }) => snapshotId !== live.snapshotId);
      if (at !== -1) kept.splice(at, 1);
      continue;
    }
    const others = kept.filter(({ snapshotId }) => snapshotId !== live.snapshotId);
    const target = step === "rollback further" ? others[0] : others.at(-1);
    if (target === undefined) continue;
    live.withdrawnAt = new Date(instant(hour));
    if (step !== "killed rollback") makeLive(target.snapshotId, hour);
  }
  if (current === undefined) throw new Error("nothing was published");
  return { seen, kept, current };
}

/** Every history of so many steps. */
function histories(length: number): readonly (readonly Step[])[] {
  if (length === 0) return [[]];
  return histories(length - 1).flatMap((steps) => everyStep.map((step) => [...steps, step]));
}

function instant(hour: number): string {
  return new Date(Date.UTC(2027, 0, 1) + hour * 3_600_000).toISOString();
}

function periodsOf(...steps: readonly Step[]) {
  const { kept, current } = history(steps);
  return livePeriods(kept, current).map(({ snapshotId, how, isCertain }) => [
    Number(snapshotId.slice("snapshot-".length)),
    how,
    isCertain,
  ]);
}

/** What may have been live within that hour. */
function namesAt(periods: readonly LivePeriod[], hour: number): readonly SnapshotId[] {
  return periodsAt(periods, new Date(instant(hour + 0.5))).map(({ snapshotId }) => snapshotId);
}

describe("P71: which snapshot was live when", () => {
  test("is told of publications, newest first", () => {
    expect(periodsOf("publish", "publish")).toEqual([
      [2, "published", true],
      [1, "published", true],
      [0, "published", true],
    ]);
  });

  test("is told of a rollback, also after builds went on", () => {
    expect(periodsOf("publish", "rollback", "publish")).toEqual([
      [3, "published", true],
      [0, "rolled back to", true],
      [1, "published", true],
      [0, "published", true],
    ]);
  });

  test("is not changed by a rollback that was killed", () => {
    expect(periodsOf("publish", "killed rollback")).toEqual([
      [1, "published", true],
      [0, "published", true],
    ]);
  });

  test("is not certain where nothing is left of what happened", () => {
    // The snapshot that was withdrawn was pruned, and with it its mark.
    const { kept, current } = history(["publish", "rollback", "publish"]);
    const left = kept.filter(({ snapshotId }) => snapshotId !== "snapshot-1");
    expect(livePeriods(left, current).map(({ isCertain }) => isCertain)).toEqual([true, false]);
  });

  test("is not told of the pointer's time where rollbacks of which nothing is left came after a publication", () => {
    const { kept, current } = history(["publish", "publish", "rollback further", "rollback", "prune"]);
    const periods = livePeriods(kept, current);
    expect(periods.map(({ snapshotId, from, isCertain }) => [snapshotId, from, isCertain])).toEqual([
      ["snapshot-2", instant(2), false],
      ["snapshot-1", instant(1), true],
    ]);
  });

  test("has the pointer's own time for what is live, and the manifest's where the store was copied", () => {
    const { kept, current } = history(["publish", "publish"]);
    const copied = kept.map((snapshot) => ({ ...snapshot, storedAt: new Date("2029-01-01T00:00:00Z") }));
    const [live, before] = livePeriods(copied, current);
    expect(live?.from).toBe(current.publishedAt);
    expect([before?.from, before?.until]).toEqual([instant(0.9), current.publishedAt]);
  });

  test("is not certain of a rollback to a snapshot of which only its successor tells: it may have been killed", () => {
    const { kept, current } = history([
      "publish",
      "killed rollback",
      "publish",
      "publish",
      "rollback further",
    ]);
    // Published after the killed rollback, and pruned.
    const left = kept.filter(({ snapshotId }) => snapshotId !== "snapshot-3");
    expect(namesAt(livePeriods(left, current), 2)).toEqual(["snapshot-3", "snapshot-1"]);
    expect(livePeriods(left, current).filter(({ snapshotId }) => snapshotId === "snapshot-3")).toMatchObject([
      { how: null, isCertain: false },
    ]);
  });

  test("is never told wrongly as certain, whatever happened", () => {
    const counts = { certain: 0, unsure: 0 };
    const check = (steps: readonly Step[]): void => {
      const { seen, kept, current } = history(steps);
      const periods = livePeriods(kept, current);
      for (let hour = 0; hour <= steps.length; hour += 1) {
        const truth = seen.findLast(({ at }) => at <= hour)?.snapshotId;
        const found = periodsAt(periods, new Date(instant(hour + 0.5)));
        const [only] = found;
        if (found.length === 1 && only?.isCertain) {
          counts.certain += 1;
          if (only.snapshotId !== truth) expect(only.snapshotId, `hour ${hour} of ${steps}`).toBe(truth);
        } else {
          counts.unsure += 1;
        }
      }
      expect(periods[0]?.snapshotId).toBe(current.snapshotId);
      // Where all is certain nothing is missing.
      const isWhole =
        kept.some(({ parent }) => parent === null) && periods.every(({ isCertain }) => isCertain);
      const published = 1 + steps.filter((step) => step === "publish").length;
      if (isWhole && kept.length !== published) expect(kept.length, String(steps)).toBe(published);
    };
    // Each history of seven steps, with those of fewer in it, and some of more.
    for (const steps of histories(sized({ whole: 7, quick: 6 }))) check(steps);
    fc.assert(fc.property(fc.array(fc.constantFrom(...everyStep), { minLength: 8, maxLength: 16 }), check), {
      numRuns: 2000,
    });
    expect(counts.certain).toBeGreaterThan(counts.unsure);
  });

  test("is certain throughout while nothing is pruned and no snapshot is withdrawn twice", () => {
    const step = fc.constantFrom<Step>("publish", "rollback");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        // A rollback always follows a publication, so that each snapshot is withdrawn once at most.
        const once = steps.flatMap((name) => (name === "rollback" ? (["publish", name] as const) : [name]));
        const { seen, kept, current } = history(once);
        const periods = livePeriods(kept, current);
        expect(periods.map(({ snapshotId }) => snapshotId)).toEqual(
          seen.map(({ snapshotId }) => snapshotId).reverse(),
        );
        expect(periods.every(({ isCertain }) => isCertain)).toBe(true);
      }),
    );
  });
});
