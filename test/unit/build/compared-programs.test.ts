import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { AddedPrograms, isMost } from "../../../cli/publish/guards/shared-guard.ts";

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function added(count: number): AddedPrograms {
  const programs = new AddedPrograms();
  for (let n = 0; n < count; n += 1)
    programs.add(`p-${n}`, { name: `Tour ${n}`, sha256: digestOf(`p-${n}`) });
  return programs;
}

test("P144 up to 400 added programs are all compared", () => {
  expect([...added(400).compared().keys()]).toEqual(Array.from({ length: 400 }, (_, n) => `p-${n}`));
});

test.each([2, 3, 5, 7, 25])("P144 of more, the sample has its part of every %sth program", (step) => {
  const compared = added(10_000).compared();
  expect(compared.size).toBe(400);
  const ofStep = [...compared.keys()].filter((id) => Number(id.slice(2)) % step === 0).length;
  // Four standard deviations.
  const allowed = 4 * Math.sqrt(400 * (1 / step) * (1 - 1 / step));
  expect(Math.abs(ofStep - 400 / step)).toBeLessThan(allowed);
});

test("P144 most are more than half, and 5 at least", () => {
  const programs = added(8).compared();
  expect([4, 5].map((count) => isMost(count, programs))).toEqual([false, true]);
  expect(isMost(4, added(4).compared())).toBe(false);
  expect([50, 51].map((count) => isMost(count, added(100).compared()))).toEqual([false, true]);
});
