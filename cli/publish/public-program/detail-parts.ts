import type {
  AirlineBrand,
  ChildPrice,
  Guide,
  HotelStay,
  Prices,
  ProgramListItem,
  PublicContent,
  RoomPrice,
  Staff,
  StaffTeacher,
  Transport,
} from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type {
  ChildPriceRow,
  FlightRow,
  HotelStayRow,
  ProgramSource,
  RoomPriceRow,
  StaffRow,
} from "./program-source.ts";
import { presentText, presentTexts, publicUrl } from "./public-text.ts";

/*
 * Each part is made from its rows or columns. A part that would be empty is `null` (D5), and what was dropped
 * is reported.
 */

/** The stays with at least one known field (D35), in source order. */
export function hotelStays(rows: readonly HotelStayRow[], report: Report): HotelStay[] {
  return rows.flatMap(([name, location, checkIn, checkOut, stars], at) => {
    const field = `hotels[${at}]`;
    const isRating = stars === null || (Number.isInteger(stars) && stars >= 1 && stars <= 5);
    const stay: HotelStay = {
      name: presentText(name),
      location: presentText(location),
      checkIn: calendarDate(checkIn, `${field}.checkIn`, report),
      checkOut: calendarDate(checkOut, `${field}.checkOut`, report),
      starLevel: isRating ? stars : null,
    };
    // D30
    if (!isRating) report("star_level_invalid", `${field}.starLevel`, stars);
    if (Object.values(stay).some((part) => part !== null)) return [stay];
    report("stay_empty", field, null);
    return [];
  });
}

/** The first lead guide (D34) and the teachers (D35) by their display names. `null` when there are none. */
export function staff(rows: readonly StaffRow[], report: Report): Staff | null {
  let leadGuide: Guide | null = null;
  const teachers: StaffTeacher[] = [];
  rows.forEach(([role, rawName, rawGender, roleLabel], at) => {
    const field = `staff[${at}]`;
    const known = role?.toLowerCase();
    const name = presentText(rawName);
    if (known !== "lead_guide" && known !== "teacher") {
      report("staff_role_unknown", `${field}.role`, role);
    } else if (name === null) {
      report("text_missing", `${field}.name`, rawName);
    } else if (known === "teacher") {
      const gender = publicGender(rawGender, `${field}.gender`, report);
      teachers.push({ name, gender, roleLabel: presentText(roleLabel) });
    } else if (leadGuide === null) {
      leadGuide = { name };
    } else {
      report("lead_guide_surplus", field, name);
    }
  });
  return leadGuide === null && teachers.length === 0 ? null : { leadGuide, teachers };
}

/** The API knows two genders (D30). */
function publicGender(raw: string | null, field: string, report: Report): "male" | "female" | null {
  const known = presentText(raw)?.toLowerCase();
  if (known === "male" || known === "female") return known;
  if (known !== undefined) report("gender_invalid", field, raw);
  return null;
}

/** Each airline once, in source order, with its first usable logo (D32). `null` when there are none. */
export function transport(rows: readonly FlightRow[], report: Report): Transport | null {
  const airlines = new Map<string, AirlineBrand>();
  rows.forEach(([rawCode, rawLogo], at) => {
    const field = `transport.flights[${at}].airline`;
    const code = presentText(rawCode);
    if (code === null) {
      report("text_missing", `${field}.code`, rawCode);
      return;
    }
    const logoUrl = airlines.get(code)?.logoUrl ?? publicUrl(rawLogo, `${field}.logoUrl`, report);
    airlines.set(code, { code, logoUrl });
  });
  const flights = [...airlines.values()].map((airline) => ({ airline }));
  return flights.length === 0 ? null : { flights };
}

/** `null` when all arrays are empty and there is no accommodation description (D5). */
export function content(source: ProgramSource, report: Report): PublicContent | null {
  const included = presentTexts(source.included, "content.included", report);
  const excluded = presentTexts(source.excluded, "content.excluded", report);
  const visits = presentTexts(source.visits, "content.visits", report);
  const faq = source.faq.flatMap(([rawQuestion, rawAnswer], at) => {
    const question = presentText(rawQuestion);
    const answer = presentText(rawAnswer);
    if (question !== null && answer !== null) return [{ question, answer }];
    report("text_missing", `content.faq[${at}].${question === null ? "question" : "answer"}`, null);
    return [];
  });
  const itinerary = source.itinerary.flatMap(([rawTitle, description], at) => {
    const title = presentText(rawTitle);
    if (title !== null) return [{ title, description: presentText(description) }];
    report("text_missing", `content.itinerary[${at}].title`, rawTitle);
    return [];
  });
  const accommodationDescription = presentText(source.accommodationDescription);
  const parts: PublicContent = { included, excluded, visits, accommodationDescription, faq, itinerary };
  return Object.values(parts).some((part) => part !== null && part.length > 0) ? parts : null;
}

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
function calendarDate(date: string | null, field: string, report: Report): string | null {
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

/** A program's legacy single price is published with this occupancy. */
const legacyOccupancy = 2;

export function prices(
  roomRows: readonly RoomPriceRow[],
  childRows: readonly ChildPriceRow[],
  legacyPrice: string | null,
  report: Report,
): Prices {
  const offered = roomPrices(roomRows, report);
  const rooms = offered.length > 0 ? offered : legacyRoom(legacyPrice, report);
  // The legacy price may be the lowest (D23).
  const startingAmount = rooms.reduce<number | null>(
    (least, { amount }) => (least === null || amount < least ? amount : least),
    null,
  );
  return { startingAmount, rooms, children: childPrices(childRows, report) };
}

/** A price without a sensible amount and occupancy is dropped (D23). */
function roomPrices(rows: readonly RoomPriceRow[], report: Report): RoomPrice[] {
  const rooms = rows.flatMap(([occupancy, decimal], at) => {
    const amount = exactAmount(decimal);
    if (isCount(occupancy, 1) && amount !== undefined && amount > 0) return [{ occupancy, amount }];
    report("room_price_dropped", `prices.rooms[${at}]`, { occupancy, amount: decimal });
    return [];
  });
  return rooms.sort((a, b) => a.occupancy - b.occupancy || a.amount - b.amount);
}

/** The legacy price is used when no room price is left (D24). */
function legacyRoom(decimal: string | null, report: Report): RoomPrice[] {
  if (decimal === null) return [];
  const amount = exactAmount(decimal);
  if (amount !== undefined && amount > 0) return [{ occupancy: legacyOccupancy, amount }];
  report("legacy_price_dropped", "prices.rooms", decimal);
  return [];
}

/** Unlike a room price, a child price may be 0, for infants (D26). */
function childPrices(rows: readonly ChildPriceRow[], report: Report): ChildPrice[] {
  const children = rows.flatMap(([minAge, maxAge, decimal], at) => {
    const amount = exactAmount(decimal);
    const isValid = isCount(minAge, 0) && isCount(maxAge, minAge) && amount !== undefined && amount >= 0;
    if (isValid) return [{ minAge, maxAge, amount }];
    report("child_price_dropped", `prices.children[${at}]`, { minAge, maxAge, amount: decimal });
    return [];
  });
  return children.sort((a, b) => a.minAge - b.minAge || a.maxAge - b.maxAge || a.amount - b.amount);
}

function isCount(value: number | null, min: number): value is number {
  return value !== null && Number.isSafeInteger(value) && value >= min;
}

/**
 * The number that prints as the decimal: `1234.50` becomes 1234.5 (D22). `undefined` for a text that is no
 * finite number, or has more digits than a JSON number holds: it would be another amount.
 */
export function exactAmount(decimal: string | null): number | undefined {
  if (decimal === null || !/^-?\d*(?:\.\d*)?$/.test(decimal) || !/\d/.test(decimal)) return undefined;
  const value = Number(decimal);
  // A double holds any 15 digits.
  const isExact = decimal.length <= 15 || digitsOf(decimal) === digitsOf(String(value));
  return Number.isFinite(value) && isExact ? value : undefined;
}

/**
 * The digits without zeros around them, and the power of ten: equal for texts of one absolute value. No
 * pattern trims trailing zeros, which would take quadratic time (W63): a numeric may have 16,383 decimals.
 */
function digitsOf(text: string): string {
  const [mantissa = "", exponent = "0"] = text.replace(/^-/, "").split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return end === 0
    ? "0"
    : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
