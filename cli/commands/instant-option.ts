import { InvalidArgumentError } from "commander";
import { parseInstant } from "../../core/setting-types.ts";

/** What `instantAfter` reads, for a help text. */
export const instantForms = "a date and time of RFC 3339, or from now: 90d, 12h, 2w";

/** The parser of an option that takes an instant, as such or as a duration from `now` on. */
export function instantAfter(now: () => Date): (text: string) => Date {
  return (text) => {
    const instant = parseInstant(text) ?? later(now(), text);
    if (instant !== undefined) return instant;
    throw new InvalidArgumentError(
      "Expected a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or a duration: 90d, 12h, 2w.",
    );
  };
}

/** Hours, days of 24 hours or weeks: what a calendar month is nobody could say. */
function later(now: Date, duration: string): Date | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([hdw])$/.exec(duration) ?? [];
  const instant = new Date(now.getTime() + Number(count) * (hours[unit] ?? Number.NaN) * 3_600_000);
  // Stored times end with the year 9999.
  return instant.getTime() < Date.UTC(10_000, 0) ? instant : undefined;
}

const hours: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };
