import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { published } from "../../support/program-source.ts";

function dates(departureDate: string | null, returnDate: string | null) {
  const { detail, warnings } = published({ departureDate, returnDate });
  const { durationDays, duration } = detail;
  return { dates: [detail.departureDate, detail.returnDate], durationDays, duration, warnings };
}

describe("travel dates", () => {
  test("D21 return before departure: both dates are published, the duration is null, a warning is reported", () => {
    expect(dates("2027-05-02", "2027-05-01")).toEqual({
      dates: ["2027-05-02", "2027-05-01"],
      durationDays: null,
      duration: null,
      warnings: ["dates_reversed returnDate = 2027-05-02 to 2027-05-01"],
    });
  });

  test.each([
    [null, null],
    ["2027-05-01", null],
    [null, "2027-05-01"],
  ])("from %s to %s there is no duration, and nothing to warn of", (departure, back) => {
    expect(dates(departure, back)).toEqual({
      dates: [departure, back],
      durationDays: null,
      duration: null,
      warnings: [],
    });
  });

  test.each(["infinity", "-infinity", "0044-03-15 BC", "10000-01-01", "5874897-12-31", ""])(
    "D20 %j is null with a warning",
    (date) => {
      expect(dates(date, "2027-05-01")).toEqual({
        dates: [null, "2027-05-01"],
        durationDays: null,
        duration: null,
        warnings: [`date_out_of_range departureDate = ${date}`],
      });
    },
  );

  test("D20, D21 the days are counted inclusively, by the calendar, whatever the time zone of the process", () => {
    const day = fc.integer({ min: -719_162, max: 2_932_896 });
    fc.assert(
      fc.property(day, fc.nat(4000), (from, length) => {
        fc.pre(from + length <= 2_932_896);
        const text = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);
        expect(dates(text(from), text(from + length))).toEqual({
          dates: [text(from), text(from + length)],
          durationDays: length + 1,
          duration: { days: length + 1, nights: length },
          warnings: [],
        });
      }),
    );
  });
});
