import { expect, test } from "vitest";
import { legacyHeaders } from "../../../gateway/respond.ts";
import { headerList } from "../../../gateway/send-answer.ts";

test("W47 the legacy resource names its successor, since when it is deprecated, and until when it is there", () => {
  const headers = legacyHeaders(new Date("2025-01-01T00:00:00Z"), new Date("2030-06-30T12:00:00Z"));
  expect(headerList(headers)).toEqual([
    "Link",
    '</v1/programs>; rel="successor-version"',
    "Deprecation",
    "@1735689600",
    "Sunset",
    "Sun, 30 Jun 2030 12:00:00 GMT",
  ]);
});

test("W47 Sunset is there only when a date is configured", () => {
  expect(legacyHeaders(new Date(0), undefined)).not.toContain("Sunset");
});
