import { pino } from "pino";
import { expect, test } from "vitest";
import { Failure } from "../../../core/ground/failure.ts";
import { Confirmed } from "../../../gateway/known/confirmed.ts";

/** A document whose readings end when and how the test says. */
function document() {
  let nowMs = 0;
  const readings: { readonly resolve: (value: string) => void; readonly reject: (error: Error) => void }[] =
    [];
  const confirmed = new Confirmed<string>({
    what: "a document",
    maxStaleMs: 1000,
    callTimeoutMs: 60_000,
    clocks: { monotonicMs: () => nowMs, unixMs: () => nowMs },
    logger: pino({ enabled: false }),
    logFields: () => ({}),
    outageTexts: { failed: "it fails", succeeded: "it works again" },
    read: () => new Promise((resolve, reject) => readings.push({ resolve, reject })),
  });
  return {
    confirmed,
    /** Begins a refresh at that time. */
    refresh(atMs: number) {
      nowMs = atMs;
      const done = confirmed.refresh();
      const reading = readings.at(-1);
      if (reading === undefined) throw new Error("nothing is read");
      return { ...reading, done };
    },
  };
}

const away = new Failure("store_unavailable", "The store is away.");

test("P18 of two refreshes that overlap, the one that began last counts, whichever ends last", async () => {
  const { confirmed, refresh } = document();
  const first = refresh(0);
  const second = refresh(10);
  second.resolve("new");
  await second.done;
  first.resolve("old");
  await first.done;
  expect([confirmed.value, confirmed.confirmedAtMs]).toEqual(["new", 10]);
});

test("P18 a refresh that fails after one that began later has succeeded is no failure", async () => {
  const { confirmed, refresh } = document();
  const first = refresh(0);
  const second = refresh(10);
  second.resolve("new");
  await second.done;
  first.reject(away);
  await first.done;
  expect(confirmed.failure).toBeUndefined();
});
