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
  return {
    startingAmount: leastAmount(rooms),
    rooms,
    children: childPrices(childRows, report),
  };
}

/** The legacy price may be the lowest (D25). `Math.min(...)` would fail for some 100,000 prices. */
function leastAmount(rooms: readonly RoomPrice[]): number | null {
  let least: number | null = null;
  for (const { amount } of rooms) least = least === null ? amount : Math.min(least, amount);
  return least;
}

/** A price without a sensible amount and occupancy is dropped (D23). */
function roomPrices(rows: readonly RoomPriceRow[], report: Report): RoomPrice[] {
  const rooms: RoomPrice[] = [];
  rows.forEach(([occupancy, decimal], at) => {
    const amount = exactAmount(decimal);
    if (!isCount(occupancy, 1) || amount === undefined || amount <= 0) {
      report("room_price_dropped", `prices.rooms[${at}]`, { occupancy, amount: decimal });
    } else {
      rooms.push({ occupancy, amount });
    }
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
  const children: ChildPrice[] = [];
  rows.forEach(([minAge, maxAge, decimal], at) => {
    const amount = exactAmount(decimal);
    const valid = isCount(minAge, 0) && isCount(maxAge, minAge) && amount !== undefined && amount >= 0;
    if (valid) children.push({ minAge, maxAge, amount });
    else report("child_price_dropped", `prices.children[${at}]`, { minAge, maxAge, amount: decimal });
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
  const match = decimal === null || !/\d/.test(decimal) ? null : decimalPattern.exec(decimal);
  if (match === null) return undefined;
  const value = Number(match[0]);
  return Number.isFinite(value) && plainDecimal(match) === printedDecimal(value) ? value : undefined;
}

/** The pattern does not trim zeros, since that would take quadratic time (W63): a numeric may have 16,383 decimals. */
const decimalPattern = /^(-?)(\d*)(?:\.(\d*))?$/;

/** The decimal without leading and trailing zeros. */
function plainDecimal([, sign = "", paddedWhole = "", paddedFraction = ""]: RegExpExecArray): string {
  const whole = paddedWhole.replace(/^0+/, "");
  const fraction = withoutTrailingZeros(paddedFraction);
  const digits = `${whole || "0"}${fraction === "" ? "" : `.${fraction}`}`;
  return digits === "0" ? "0" : sign + digits;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** The number as JSON prints it, but without an exponent. */
function printedDecimal(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa === "-0" ? "0" : mantissa;
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(mantissa) ?? [];
  const shift = Number(exponent);
  return shift < 0
    ? `${sign}0.${"0".repeat(-shift - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(shift, "0")}`;
}
