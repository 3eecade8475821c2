import { expect, test } from "vitest";
import { KeySet } from "../../../cli/snapshot/key-set.ts";

const key = (at: number): string =>
  `tenants/atlas/snapshots/20260101T000000Z-00000000/v1/programs/${at}.json`;

test("it has what was added, each once, and nothing else", () => {
  const keys = new KeySet();
  for (let at = 0; at < 50_000; at += 1) keys.add(key(at));
  for (let at = 0; at < 50_000; at += 7) keys.add(key(at));
  expect(keys.size).toBe(50_000);
  for (let at = 0; at < 100_000; at += 1) {
    if (keys.has(key(at)) !== at < 50_000) throw new Error(`wrong about ${key(at)}`);
  }
});

test("an empty one has nothing", () => {
  expect(new KeySet().has(key(1))).toBe(false);
});
