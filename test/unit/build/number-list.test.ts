import { expect, test } from "vitest";
import { NumberList } from "../../../cli/build/number-list.ts";

test("a number list gives back what was added, across its blocks", () => {
  const list = new NumberList();
  const numbers = Array.from({ length: 5000 }, (_, at) => at * 2 ** 40 - 7);
  for (const number of numbers) list.push(number);
  expect(list.length).toBe(5000);
  expect(numbers.map((_, at) => list.at(at))).toEqual(numbers);
});

test("there is no number beyond its end", () => {
  const list = new NumberList();
  expect(list.at(0)).toBeNaN();
  list.push(7);
  expect([list.at(0), list.at(1), list.at(2048)]).toEqual([7, NaN, NaN]);
});
