import { Counter } from "prom-client";
import { expect, test } from "vitest";
import { createMetricsRegistry } from "../../../core/metrics-registry.ts";

test("registries share the metrics of the process, whose timer and observer never end, and keep their own metrics apart", () => {
  const [one, other] = [createMetricsRegistry(), createMetricsRegistry()];
  const ofProcess = other.getMetricsAsArray();
  new Counter({ name: "own_total", help: "Of one registry.", registers: [one] });
  expect(ofProcess.map(({ name }) => name)).toContain("nodejs_eventloop_lag_p99_seconds");
  // Each is the very same object, not an equal one.
  expect(one.getMetricsAsArray().filter((metric) => ofProcess.includes(metric))).toHaveLength(
    ofProcess.length,
  );
  expect(other.getSingleMetric("own_total")).toBeUndefined();
});
