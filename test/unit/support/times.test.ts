import { describe, expect, test } from "vitest";
import {
  exactTime,
  isTimeZone,
  plainTime,
  relativeAndExact,
  relativeTime,
} from "../../../cli/output/times.ts";

const now = new Date("2026-11-21T12:00:00.000Z");

function ago(seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}

describe("a time for people", () => {
  test.each([
    [0, "just now"],
    [0.4, "just now"],
    [1, "1 second ago"],
    [59, "59 seconds ago"],
    [60, "1 minute ago"],
    [119 * 60, "119 minutes ago"],
    [2 * 3600, "2 hours ago"],
    [47 * 3600, "47 hours ago"],
    [48 * 3600, "2 days ago"],
    [400 * 86_400, "400 days ago"],
    [-90, "in 1 minute"],
    [-3 * 86_400, "in 3 days"],
  ])("%d seconds before now is %s", (seconds, text) => {
    expect(relativeTime(ago(seconds), now)).toBe(text);
  });

  test("comes with the exact time in UTC, to the second, whatever its own zone", () => {
    expect(exactTime("2026-11-21T13:59:59.999+02:00")).toBe("2026-11-21T11:59:59Z");
    expect(relativeAndExact("2026-11-21T09:00:00.000Z", { now, zone: "UTC" })).toBe(
      "3 hours ago (2026-11-21T09:00:00Z)",
    );
  });

  test("is told in the reader's zone, with UTC behind it", () => {
    const at = "2026-11-21T23:30:00.000Z";
    const paris = { now, zone: "Europe/Paris" };
    expect(exactTime(at, paris.zone)).toBe("2026-11-22T00:30:00+01:00 = 2026-11-21T23:30:00Z");
    expect(plainTime(at, paris)).toBe("22 November 2026, 00:30 CET (21 November 2026, 23:30 UTC)");
    expect(plainTime("2026-07-01T08:00:00Z", paris)).toBe("1 July 2026, 10:00 CEST (08:00 UTC)");
    expect(plainTime(at, { zone: "UTC" })).toBe("21 November 2026, 23:30 UTC");
    expect(exactTime(at, "America/St_Johns")).toBe("2026-11-21T20:00:00-03:30 = 2026-11-21T23:30:00Z");
    expect([isTimeZone("Europe/Paris"), isTimeZone("Nowhere/Land")]).toEqual([true, false]);
    expect(plainTime("soon", paris)).toBe("soon");
  });
});
