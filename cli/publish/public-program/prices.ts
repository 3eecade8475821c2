import type { ChildPrice, Prices, RoomPrice } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type { ChildPriceRow, RoomPriceRow } from "./program-source.ts";

/** A program's legacy single price is published with this occupancy. */
const legacyOccupancy = 2;

export function prices(
  roomRows: readonly RoomPriceRow[],
  childRows: readonly ChildPriceRow[],
  legacyPrice: string | null,
  report: Report,
): Prices {
  const rooms = roomPrices(roomRows, report);
  if (rooms.length === 0) rooms.push(...legacyRoom(legacyPrice, report));
  // The legacy price may be the lowest (D23). `Math.min(...)` would fail for some 100,000 prices.
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
 * The number that prints as the decimal: `1234.50` becomes 1234.5 (D22). `undefined` for a text that is no finite number, or has
 * more digits than a JSON number can hold, since it would be published as another amount.
 */
export function exactAmount(decimal: string | null): number | undefined {
  if (decimal === null || !/^-?\d*(?:\.\d*)?$/.test(decimal) || !/\d/.test(decimal)) return undefined;
  const value = Number(decimal);
  // A double holds any 15 digits.
  const isExact = decimal.length <= 15 || digitsOf(decimal) === digitsOf(String(value));
  return Number.isFinite(value) && isExact ? value : undefined;
}

/**
 * The digits without zeros around them, and the power of ten: equal for texts of one absolute value. No pattern trims the trailing
 * zeros, since that would take quadratic time (W63): a numeric may have 16,383 decimals.
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
