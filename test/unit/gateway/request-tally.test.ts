import { expect, test } from "vitest";
import { createRequestTally } from "../../../gateway/tallies.ts";

test("requests are counted by resource and status, and timed in cumulative buckets of seconds", () => {
  const tally = createRequestTally();
  for (const [status, durationMs] of [
    [200, 0.5],
    [200, 0.51],
    [404, 40_000],
  ] as const) {
    tally.add("detail", status, durationMs);
  }
  tally.add("unknown", 404, 0);
  const lines = tally.text().split("\n");
  expect(lines).toContain('gateway_requests_total{route="detail",status="200"} 2');
  expect(lines).toContain('gateway_requests_total{route="detail",status="404"} 1');
  expect(lines).toContain('gateway_requests_total{route="unknown",status="404"} 1');
  expect(lines).toContain('gateway_request_duration_seconds_bucket{route="detail",le="0.0005"} 1');
  expect(lines).toContain('gateway_request_duration_seconds_bucket{route="detail",le="0.001"} 2');
  expect(lines).toContain('gateway_request_duration_seconds_bucket{route="detail",le="30"} 2');
  expect(lines).toContain('gateway_request_duration_seconds_bucket{route="detail",le="+Inf"} 3');
  expect(lines).toContain('gateway_request_duration_seconds_count{route="detail"} 3');
  expect(
    lines.find((line) => line.startsWith('gateway_request_duration_seconds_sum{route="detail"}')),
  ).toMatch(/ 40\.001/);
});

test("the text is Prometheus' own: each metric with its help and type, each line ended", () => {
  const tally = createRequestTally();
  tally.add("list", 200, 1);
  const text = tally.text();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(
      /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+)$/,
    );
  }
});

test("W92 a 500 of any resource is counted from 0, so that the first one is an increase", () => {
  const tally = createRequestTally();
  const count = (): readonly (string | undefined)[] =>
    [...tally.text().matchAll(/^gateway_requests_total\{route="(\w+)",status="500"\} (\d+)$/gm)].map(
      ([, route, value]) => `${route} ${value}`,
    );
  expect(count()).toEqual(["list 0", "detail 0", "legacy 0", "unknown 0"]);
  tally.add("legacy", 500, 3);
  expect(count()).toEqual(["list 0", "detail 0", "legacy 1", "unknown 0"]);
});
