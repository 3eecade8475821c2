import { expect, test } from "vitest";
import { atEndOfTurn } from "../../../gateway/end-of-turn.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("what came up in one turn is handled together, in its order, when the turn ends", async () => {
  const handled: number[] = [];
  const add = atEndOfTurn<number>((item) => handled.push(item));
  add(1);
  await Promise.resolve();
  add(2);
  await new Promise(process.nextTick);
  expect(handled).toEqual([]);
  await turn();
  expect(handled).toEqual([1, 2]);
  add(3);
  await turn();
  expect(handled).toEqual([1, 2, 3]);
});

test("what comes up while a turn's items are handled waits for the next turn", async () => {
  const handled: number[] = [];
  const add = atEndOfTurn<number>((item) => {
    handled.push(item);
    if (item < 10) add(item + 10);
  });
  add(1);
  add(2);
  await turn();
  expect(handled).toEqual([1, 2]);
  await turn();
  expect(handled).toEqual([1, 2, 11, 12]);
});
