import type { HotelStay } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type { HotelStayRow } from "./program-source.ts";
import { presentText } from "./text.ts";
import { calendarDate } from "./travel-dates.ts";

/** The stays with at least one known field (D38), in source order. */
export function hotelStays(rows: readonly HotelStayRow[], report: Report): HotelStay[] {
  const stays: HotelStay[] = [];
  rows.forEach(([name, location, checkIn, checkOut, stars], at) => {
    const field = `hotels[${at}]`;
    const stay: HotelStay = {
      name: presentText(name),
      location: presentText(location),
      checkIn: calendarDate(checkIn, `${field}.checkIn`, report),
      checkOut: calendarDate(checkOut, `${field}.checkOut`, report),
      starLevel: starLevel(stars, `${field}.starLevel`, report),
    };
    if (Object.values(stay).some((part) => part !== null)) stays.push(stay);
    else report("stay_empty", field, null);
  });
  return stays;
}

/** D30: a rating that means nothing is not published. */
function starLevel(stars: number | null, field: string, report: Report): number | null {
  if (stars === null || (Number.isInteger(stars) && stars >= 1 && stars <= 5)) return stars;
  report("star_level_invalid", field, stars);
  return null;
}
