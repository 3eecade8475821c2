import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { parseInstant } from "../../../core/process/setting-parser.ts";

// On a busy machine much data takes more than the usual few seconds.
vi.setConfig({ testTimeout: 60_000 });

describe("an instant of RFC 3339", () => {
  test.each([
    ["2027-01-31T00:00:00Z", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31t12:34:56.789z", "2027-01-31T12:34:56.789Z"],
    ["2027-01-31T12:34:56.123456789Z", "2027-01-31T12:34:56.123Z"],
    ["2027-01-31T00:00:00+02:00", "2027-01-30T22:00:00.000Z"],
    ["2027-01-31T00:00:00-00:30", "2027-01-31T00:30:00.000Z"],
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2028-02-29T23:59:59Z", "2028-02-29T23:59:59.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
  ])("%s is %s", (text, iso) => expect(parseInstant(text)?.toISOString()).toBe(iso));

  test.each([
    ...["", "tomorrow", "2027-01", "2027-1-1", "31.01.2027", "2027-01-31 00:00:00Z", "2027-01-31T00:00Z"],
    ...["2027-01-31T00:00:00", "2027-01-31T00:00:00.Z", "2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z"],
    ...["2027-01-31T24:00:00Z", "2027-01-31T00:60:00Z", "2027-01-31T00:00:60Z", "2027-01-31T00:00:00+24:00"],
    ...["2027-01-31T00:00:00+0200", "+012027-01-31T00:00:00Z", "2027-01-31T00:00:00Z\n", "1767225600"],
    // No stored document could hold a year in UTC that has not four digits.
    ...["9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "0000-01-01T00:00:00Z"],
  ])("%j is none", (text) => expect(parseInstant(text)).toBeUndefined());

  test("what is accepted prints as an instant that is accepted again", () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
    const part = fc.tuple(
      digits(4),
      digits(2),
      digits(2),
      digits(2),
      digits(2),
      digits(2),
      fc.constantFrom("Z", "+14:00", "-12:00"),
    );
    fc.assert(
      fc.property(part, ([year, month, day, hour, minute, second, zone]) => {
        const instant = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
        if (instant === undefined) return;
        expect(parseInstant(instant.toISOString())).toEqual(instant);
      }),
      { numRuns: 2000 },
    );
  });
});
