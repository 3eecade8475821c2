import { expect, test } from "vitest";
import { RoundHealth } from "../../../cli/publish/watch/watch-admin.ts";

test("a watch is ready from the end of its first round for three intervals", () => {
  const health = new RoundHealth(1000);
  expect(health.notReadyCause(0)).toMatch(/^no round .* yet$/);
  health.roundEnded(5000, 10, undefined);
  expect(health.notReadyCause(8020)).toBeUndefined();
  expect(health.notReadyCause(8021)).toMatch(/ ended 3 s ago$/);
});

test("a round that failed makes nothing ready, and says why", () => {
  const health = new RoundHealth(1000);
  health.roundEnded(100, 10, "source_unavailable");
  expect(health.notReadyCause(200)).toMatch(/^no round .* yet; .* failed: source_unavailable$/);
  health.roundEnded(300, 10, undefined);
  health.roundEnded(400, 10, "source_contract");
  expect(health.notReadyCause(3000)).toBeUndefined();
  expect(health.notReadyCause(9300)).toMatch(/ ended 9 s ago; .* failed: source_contract$/);
});

test("a round that takes longer than the interval has its time, too", () => {
  const health = new RoundHealth(1000);
  health.roundEnded(60_000, 60_000, undefined);
  expect(health.notReadyCause(180_000)).toBeUndefined();
  expect(health.notReadyCause(184_000)).toBeDefined();
});
