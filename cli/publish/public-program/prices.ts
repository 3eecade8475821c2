import type { ChildPrice, Prices, RoomPrice } from "../../../schemas/generated/types.ts";
import { exactAmount } from "./amount.ts";
import type { Report } from "./problem.ts";
import type { ChildPriceRow, RoomPriceRow } from "./program-source.ts";

/** The occupancy under which a program's legacy single price is published. */
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

/** D25: of what is published, the legacy price included. One by one: a call takes some 100,000 arguments at most. */
function leastAmount(rooms: readonly RoomPrice[]): number | null {
  let least: number | null = null;
  for (const { amount } of rooms) least = least === null ? amount : Math.min(least, amount);
  return least;
}

/** D23: an amount or an occupancy that makes no sense is no price. */
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

/** D24: the specification's "empty list", extended to one that is empty after dropping. */
function legacyRoom(decimal: string | null, report: Report): RoomPrice[] {
  if (decimal === null) return [];
  const amount = exactAmount(decimal);
  if (amount !== undefined && amount > 0) return [{ occupancy: legacyOccupancy, amount }];
  report("legacy_price_dropped", "prices.rooms", decimal);
  return [];
}

/** D26: 0 is a price here, for infants. */
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
