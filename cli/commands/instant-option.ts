import { InvalidArgumentError } from "commander";
import { durationMs, parseInstant } from "../../core/setting-types.ts";

/** The forms that `instantAfter` reads, for a help text. */
export const instantForms = "a date and time of RFC 3339, or from now: 90d, 12h, 2w";

/** A parser of instants: a date and time, or a duration that begins `now`. */
export function instantAfter(now: () => Date): (text: string) => Date {
  return (text) => {
    const instant = parseInstant(text) ?? shifted(now(), durationMs(text));
    // Stored times end with the year 9999.
    if (instant.getTime() < Date.UTC(10_000, 0)) return instant;
    throw new InvalidArgumentError(
      "Expected a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or a duration: 90d, 12h, 2w.",
    );
  };
}

/** A parser of instants: a date and time, or a duration that ends `now`. */
export function instantBefore(now: () => Date): (text: string) => Date {
  return (text) => {
    const instant = parseInstant(text) ?? shifted(now(), -durationMs(text));
    // The keys of records hold years of four digits.
    if (instant.getTime() >= Date.UTC(1000, 0)) return instant;
    throw new InvalidArgumentError(
      "Expected a date and time of RFC 3339, like 2027-01-31T00:00:00Z, or how long ago: 90d, 12h, 2w.",
    );
  };
}

/** The time `byMs` after `from`. When `byMs` is `NaN`, it is an invalid date, which no bound admits. */
function shifted(from: Date, byMs: number): Date {
  return new Date(from.getTime() + byMs);
}
