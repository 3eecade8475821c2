import { expect, test } from "vitest";
import { createTally } from "../../../gateway/beside/tallies.ts";

test("W92 a request counts in the first bucket whose bound it keeps, and in all above", () => {
  const tally = createTally("request", ["route", "status"], { total: "Requests.", duration: "Their time." });
  const bounds = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];
  for (const bound of bounds) tally.add("list", 200, bound);
  tally.add("list", 200, 30_000.5);
  const lines = tally.text().split("\n");
  const buckets = lines.filter((line) => line.startsWith("gateway_request_duration_seconds_bucket"));
  expect(buckets).toEqual(
    [...bounds.map((bound) => bound / 1000), "+Inf"].map(
      (le, at) => `gateway_request_duration_seconds_bucket{route="list",le="${le}"} ${at + 1}`,
    ),
  );
  expect(lines).toContain('gateway_request_duration_seconds_count{route="list"} 16');
  expect(lines).toContain('gateway_request_duration_seconds_sum{route="list"} 79.4445');
});
