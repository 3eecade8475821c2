import { pino } from "pino";
import { expect, test } from "vitest";
import { Failure } from "../../../core/ground/failure.ts";
import { Confirmed } from "../../../gateway/known/confirmed.ts";

/** A document whose readings end when and how the test says. */
function document(restore?: () => Promise<{ value: string; confirmedAtMs: number } | undefined>) {
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
    ...(restore && { restore }),
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

test("W76 a copy counts until the store has answered, and one that comes later or cannot be read changes nothing", async () => {
  const copy = { value: "kept", confirmedAtMs: -5 };
  const { confirmed, refresh } = document(async () => copy);
  await confirmed.restore();
  expect([confirmed.value, confirmed.confirmedAtMs, confirmed.isFromCopy]).toEqual(["kept", -5, true]);
  const first = refresh(0);
  first.resolve("new");
  await first.done;
  await confirmed.restore();
  expect([confirmed.value, confirmed.confirmedAtMs, confirmed.isFromCopy]).toEqual(["new", 0, false]);
  for (const restore of [undefined, async () => undefined, () => Promise.reject(away)]) {
    const without = document(restore).confirmed;
    await without.restore();
    expect([without.value, without.isFromCopy]).toEqual([undefined, false]);
  }
});
