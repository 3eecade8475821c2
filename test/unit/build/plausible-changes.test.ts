import fc from "fast-check";
import { expect, test } from "vitest";
import { runOutcome } from "../../../cli/publish/run/run-report.ts";
import { buildCanned, type CannedProgram } from "../../support/canned-source.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";

/**
 * What companies do every day to most of their programs: no guard refuses it, and it changes no exit status.
 */

const store = fileStoreForEachTest();
const guarded = {
  ...{ allowShrink: false, allowEmptied: false, allowShared: false, allowScaled: false },
  ...{ allowVanished: false, onInvalid: "report" as const },
};
const day = (daysFromNow: number): string =>
  new Date(Date.now() + daysFromNow * 86_400_000).toISOString().slice(0, 10);

interface Season {
  readonly programs: readonly CannedProgram[];
  /** A factor for each program. */
  readonly prices: readonly number[];
  readonly currency: string | undefined;
  /** How many programs are new. */
  readonly added: number;
}

const cents = (amount: number): string => amount.toFixed(2);
const seasons = fc
  .array(
    fc.record({ startsIn: fc.integer({ min: -20, max: 90 }), amount: fc.integer({ min: 50, max: 90_000 }) }),
    { minLength: 1, maxLength: 12 },
  )
  .chain((trips) =>
    fc.record<Season>({
      programs: fc.constant(
        trips.map(({ startsIn, amount }, at): CannedProgram => {
          const dates = { departureDate: day(startsIn), returnDate: day(startsIn + 7) };
          const priced = { currency: "EUR", roomPrices: [[2, cents(amount / 10)]] as const };
          return { programId: `p${at}`, name: `Tour ${at}`, ...dates, ...priced };
        }),
      ),
      prices: fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), {
        minLength: trips.length,
        maxLength: trips.length,
      }),
      currency: fc.option(fc.constantFrom("USD", "IDR", "KWD"), { nil: undefined }),
      added: fc.nat(20),
    }),
  );

/** Amounts of a currency in euros. */
const rates: Readonly<Record<string, number>> = { EUR: 1, USD: 1.08, IDR: 17_000, KWD: 0.33 };

/**
 * The next day's programs: other prices, in another currency perhaps, new ones, and those that are over
 * completed.
 */
function nextOf({ programs, prices, currency = "EUR", added }: Season): readonly CannedProgram[] {
  const repriced = programs.map((program, at): CannedProgram => {
    const amount = Number(program.roomPrices?.[0]?.[1]) * (prices[at] ?? 1) * (rates[currency] ?? 1);
    const isOver = (program.returnDate ?? "") < day(0);
    return {
      ...program,
      currency,
      roomPrices: [[2, cents(Math.max(amount, 0.01))]],
      ...(isOver && { lifecycleState: "completed" }),
    };
  });
  const isLeft = repriced.some(({ lifecycleState }) => lifecycleState === undefined);
  const begun = Array.from({ length: isLeft ? added : added + 1 }, (_, at): CannedProgram => {
    return { programId: `new${at}`, name: `New ${at}`, departureDate: day(100 + at), currency };
  });
  return [...repriced, ...begun];
}

test("P226 plausible changes of most programs are never refused, and change no exit status", async () => {
  let tenants = 0;
  await fc.assert(
    fc.asyncProperty(seasons, fc.boolean(), async (season, rewrite) => {
      tenants += 1;
      const tenant = `t${tenants}`;
      await buildCanned(store, tenant, season.programs, guarded);
      const run = await buildCanned(store, tenant, nextOf(season), { ...guarded, rewrite });
      const judged = { dryRun: false, askedFor: false, onInvalid: "report" } as const;
      expect([run.failure, runOutcome([run], [], judged).exitStatus]).toEqual([null, 0]);
    }),
    { numRuns: sized({ whole: 200, quick: 20 }) },
  );
});

test.each([4, 5])("P226 amounts times 100 of %i programs", async (count) => {
  const programs = (factor: number): readonly CannedProgram[] =>
    Array.from({ length: count }, (_, at): CannedProgram => {
      const roomPrices = [[2, String((100 + at) * factor)]] as const;
      return { programId: `p${at}`, name: "Tour", currency: "EUR", roomPrices };
    });
  await buildCanned(store, "acme", programs(1), guarded);
  const { outcome, failure } = await buildCanned(store, "acme", programs(100), guarded);
  expect([outcome, failure?.code]).toEqual(count < 5 ? ["published", undefined] : ["refused", "scale_guard"]);
});
