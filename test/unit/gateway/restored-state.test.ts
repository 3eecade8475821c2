import { expect, test } from "vitest";
import { restoredState } from "../../../gateway/last-good/known-state.ts";

const state = { writtenAtMs: 1000, registry: undefined, tenants: new Map() };

test.each([
  ["in this very millisecond", 1000.9, false],
  ["in a later one", 1001, true],
])("W78: a file that was written %s", (_when, modifiedAtMs, isClockSetBack) => {
  expect(restoredState([{ state, modifiedAtMs }], 1000).isClockSetBack).toBe(isClockSetBack);
});
