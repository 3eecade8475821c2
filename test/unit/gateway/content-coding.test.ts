import { expect, test } from "vitest";
import { prefersGzip } from "../../../gateway/request-head.ts";

test.each([
  ["gzip", true],
  ["GZIP", true],
  ["x-gzip", true],
  ["gzip, deflate, br", true],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", true],
  ["*", true],
  ["gzip;q=0.001", true],
  ["identity, gzip", true],
  ["identity;q=0.5, gzip;q=0.5", true],
  ["identity;q=0, gzip", true],
  [" gzip ; q=1 ", true],
  ["", false],
  ["identity", false],
  ["br", false],
  ["gzip;q=0", false],
  ["gzip;q=0.000", false],
  ["*;q=0", false],
  ["gzip;q=0, *", false],
  ["identity;q=1, gzip;q=0.5", false],
  ["gzip;q=nonsense", false],
  ["gzip;q=2", false],
  ["notgzip", false],
  ["gzip2", false],
])("W46 Accept-Encoding: %s → gzip: %s", (header, expected) => {
  expect(prefersGzip(header)).toBe(expected);
});
