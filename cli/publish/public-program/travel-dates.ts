import type { ProgramListItem } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";

type TravelDates = Pick<ProgramListItem, "departureDate" | "returnDate" | "durationDays" | "duration">;

/** All are calendar dates, which no time zone shifts (D20). */
export function travelDates(departure: string | null, back: string | null, report: Report): TravelDates {
  const departureDate = calendarDate(departure, "departureDate", report);
  const returnDate = calendarDate(back, "returnDate", report);
  const days =
    departureDate !== null && returnDate !== null ? inclusiveDays(departureDate, returnDate) : null;
  if (days !== null && days < 1) {
    report("dates_reversed", "returnDate", `${departureDate} to ${returnDate}`);
    return { departureDate, returnDate, durationDays: null, duration: null };
  }
  const duration = days === null ? null : { days, nights: days - 1 };
  return { departureDate, returnDate, durationDays: days, duration };
}

/** PostgreSQL writes years before 1 and after 9999 and `infinity` in another form (D20). */
export function calendarDate(date: string | null, field: string, report: Report): string | null {
  if (date === null || isoDate.test(date)) return date;
  report("date_out_of_range", field, date);
  return null;
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const msPerDay = 86_400_000;

/** The number of days, the first and the last included (D21). */
function inclusiveDays(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / msPerDay + 1;
}
