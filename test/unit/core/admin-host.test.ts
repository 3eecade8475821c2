import { expect, test } from "vitest";
import { createAdminHostCheck } from "../../../core/admin-server.ts";

const isAdminHost = createAdminHostCheck(["gateway.internal", "Metrics"]);

test.each([
  undefined,
  "127.0.0.1:9090",
  "[::1]:9090",
  "[fe80::1]",
  "localhost",
  "LOCALHOST:9090",
  "gateway.internal:9090",
  "metrics",
])("the admin listener may be asked as %s", (host) => {
  expect(isAdminHost(host)).toBe(true);
});

test.each([
  "",
  "rebound.example",
  "rebound.example:9090",
  "127.0.0.1.rebound.example",
  "localhost.rebound.example:9090",
  "[rebound.example]",
  "[",
  "gateway.internal.",
  "a@127.0.0.1",
])("the admin listener may not be asked as %j", (host) => {
  expect(isAdminHost(host)).toBe(false);
});
