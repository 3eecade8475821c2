import { describe, expect, test } from "vitest";
import type { ChildPriceRow, RoomPriceRow } from "../../../cli/publish/public-program/program-source.ts";
import { published } from "../../support/program-source.ts";
import { sized } from "../../support/quick-pass.ts";

function rooms(roomPrices: readonly RoomPriceRow[], legacyPrice: string | null = null) {
  const { detail, warnings } = published({ roomPrices, legacyPrice });
  const { startingAmount, rooms } = detail.prices;
  return { startingAmount, rooms: rooms.map(({ occupancy, amount }) => [occupancy, amount]), warnings };
}

function children(childPrices: readonly ChildPriceRow[]) {
  const { detail, warnings } = published({ childPrices });
  const kept = detail.prices.children.map(({ minAge, maxAge, amount }) => [minAge, maxAge, amount]);
  return { kept, warnings };
}

describe("room prices", () => {
  test("D23 are ordered by occupancy, then amount, and keep equal ones", () => {
    expect(
      rooms([
        [10, "5"],
        [2, "120.5"],
        [2, "99.90"],
        [1, "300"],
        [2, "99.9"],
      ]).rooms,
    ).toEqual([
      [1, 300],
      [2, 99.9],
      [2, 99.9],
      [2, 120.5],
      [10, 5],
    ]);
  });

  test.each<RoomPriceRow>([
    [2, "NaN"],
    [2, "Infinity"],
    [2, "0"],
    [2, "0.00"],
    [2, "-1"],
    [2, null],
    [2, "9007199254740993"],
    [0, "100"],
    [-1, "100"],
    [null, "100"],
    [1.5, "100"],
    [2 ** 53, "100"],
  ])("D23 occupancy %j at %j is dropped with a warning, and counts for nothing", (occupancy, amount) => {
    const result = rooms([
      [4, "500"],
      [occupancy, amount],
    ]);
    expect([result.rooms, result.startingAmount]).toEqual([[[4, 500]], 500]);
    expect(result.warnings).toEqual([
      `room_price_dropped prices.rooms[1] = ${JSON.stringify({ occupancy, amount })}`,
    ]);
  });

  test("D23, D37 startingAmount is found among as many prices as a program of the largest size can have", () => {
    // More than a call of a function takes arguments, in the quick pass, too.
    const most = sized({ whole: 500_000, quick: 150_000 });
    const rows = Array.from({ length: most }, (_, at): RoomPriceRow => [2, String(most - at)]);
    expect(published({ roomPrices: rows }).detail.prices.startingAmount).toBe(1);
  });
});

describe("D24 the legacy single price", () => {
  test("becomes the price for two when there is no room price, and counts for startingAmount", () => {
    expect(rooms([], "750.00")).toEqual({ startingAmount: 750, rooms: [[2, 750]], warnings: [] });
  });

  test("is not used beside a room price, however much lower it is", () => {
    expect(rooms([[4, "500"]], "1")).toEqual({ startingAmount: 500, rooms: [[4, 500]], warnings: [] });
  });
});

describe("child prices", () => {
  test("D26 are ordered by minAge, maxAge, amount", () => {
    expect(
      children([
        [12, 17, "90"],
        [3, 11, "60"],
        [3, 11, "50"],
        [3, 5, "70"],
        [0, 2, "0"],
      ]).kept,
    ).toEqual([
      [0, 2, 0],
      [3, 5, 70],
      [3, 11, 50],
      [3, 11, 60],
      [12, 17, 90],
    ]);
  });

  test.each<ChildPriceRow>([
    [0, 2, "-0.01"],
    [0, 2, "NaN"],
    [0, 2, null],
    [-1, 2, "5"],
    [3, 2, "5"],
    [null, 2, "5"],
    [0, null, "5"],
    [0.5, 2, "5"],
  ])("D26 from %j to %j at %j is dropped with a warning", (minAge, maxAge, amount) => {
    const result = children([
      [minAge, maxAge, amount],
      [4, 9, "7"],
    ]);
    expect(result.kept).toEqual([[4, 9, 7]]);
    expect(result.warnings).toEqual([
      `child_price_dropped prices.children[0] = ${JSON.stringify({ minAge, maxAge, amount })}`,
    ]);
  });
});

describe("D27 currency", () => {
  test.each([
    ["EUR", "EUR"],
    ["ils", "ILS"],
    ["uSd", "USD"],
    ["XXX", "XXX"],
  ])("%s is published as %s", (currency, code) => {
    expect(published({ currency })).toMatchObject({ detail: { currency: code }, warnings: [] });
  });

  test.each(["€", "EURO", "EU", "E1R", " EUR", "EUR ", "éur", "ıls", "EUR\n"])(
    "%j is null with a warning",
    (currency) => {
      const { detail, warnings } = published({ currency });
      expect(detail.currency).toBeNull();
      expect(warnings).toEqual([`currency_invalid currency = ${currency.replace("\n", " ")}`]);
    },
  );

  test.each([null, "", " "])("%j is absent, which is nothing to warn of", (currency) => {
    expect(published({ currency })).toMatchObject({ detail: { currency: null }, warnings: [] });
  });
});
