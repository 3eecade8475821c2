import { describe, expect, test } from "vitest";
import {
  emptiedRefusal,
  LiveTally,
  placesOf,
  publicFacts,
  publicParts,
} from "../../../cli/publish/guards/field-guard.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";

const tenant = parseTenantId("acme");

function filled(program: object): readonly string[] {
  return placesOf(publicFacts(program).parts).map((place) => publicParts[place] ?? "");
}

/** `filled` programs have a description; of the first `emptied` of them the build takes it. */
function tallyOf({
  filled,
  emptied,
  unchanged = 0,
}: {
  filled: number;
  emptied: number;
  unchanged?: number;
}) {
  const tally = new LiveTally();
  const facts = (description: string | null) => publicFacts({ capacity: { total: 9, used: 0 }, description });
  for (let at = 0; at < filled; at += 1) {
    tally.addChanged(`p-${at}`, facts("Nice"), facts(at < emptied ? null : "Nicer"));
  }
  for (let at = 0; at < unchanged; at += 1) tally.addUnchanged(facts("Nice").parts);
  return tally;
}

test("P140 the parts of a program that are filled are those with a value, at any depth, and a capacity above 0", () => {
  const program = {
    capacity: { total: 0, used: 3, remaining: 0 },
    currency: "EUR",
    prices: { startingAmount: null, rooms: [], children: [{ minAge: 0, maxAge: 2, amount: 0 }] },
    hotels: [
      { name: null, starLevel: null },
      { name: "Ritz", starLevel: null },
    ],
    transport: { flights: [{ airline: { code: "LH", logoUrl: "https://a.example/lh.png" } }] },
    content: { included: [], faq: [{ question: "Why?", answer: "So." }], accommodationDescription: null },
  };
  expect(filled(program)).toEqual([
    "currency",
    "prices.children",
    "hotels",
    "hotels[].name",
    "transport",
    "transport.flights",
    "transport.flights[].airline.logoUrl",
    "content",
    "content.faq",
  ]);
  expect(publicFacts(program).used).toBe(3);
  expect(filled({ capacity: { total: 1, used: 0 } })).toEqual(["capacity.total"]);
});

describe("P140 the field guard", () => {
  test.each([
    [5, 3, "p-0, p-1, p-2"],
    [30, 16, "p-0, p-1, p-10, ..."],
    [5, 5, "p-0, p-1, p-2, ..."],
  ])("of %d programs with a field refuses to empty it for %d", (all, emptied, named) => {
    const failure = emptiedRefusal(tenant, tallyOf({ filled: all, emptied }).emptiedFields);
    expect(failure?.code).toBe("field_guard");
    expect(failure?.message).toContain(`description (empty for ${emptied} of ${all}: ${named})`);
    expect(failure?.message).toContain("--allow-emptied");
  });

  test.each([
    [6, 3],
    [100, 50],
    [5, 0],
  ])("of %d programs with a field lets %d be emptied", (all, emptied) => {
    expect(tallyOf({ filled: all, emptied }).emptiedFields).toEqual([]);
  });

  test("counts programs that do not change", () => {
    expect(tallyOf({ filled: 5, emptied: 5, unchanged: 5 }).emptiedFields).toEqual([]);
    expect(tallyOf({ filled: 5, emptied: 5, unchanged: 4 }).emptiedFields).toMatchObject([{ filled: 9 }]);
  });
});

test("P143 another capacity.used in most of the programs, and at least 5, is a warning", () => {
  const withUsed = (used: number) => publicFacts({ capacity: { total: 9, used } });
  const tally = new LiveTally();
  for (let at = 0; at < 4; at += 1) tally.addChanged(`p-${at}`, withUsed(1), withUsed(2));
  expect(tally.capacityProblems(4)).toEqual([]);
  tally.addChanged("p-4", withUsed(1), withUsed(2));
  expect(tally.capacityProblems(9)).toMatchObject([{ code: "capacity_changed", value: "5 of 9 program(s)" }]);
  expect(tally.capacityProblems(10)).toEqual([]);
});
