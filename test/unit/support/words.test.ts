import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fieldLabel, money, programChanges, valueWords } from "../../../cli/output/field-words.ts";
import { didYouMeanLonger } from "../../../cli/output/words.ts";
import { problemRules, reportedProblem, shownId } from "../../../cli/publish/public-program/problem.ts";
import { problemWords } from "../../../cli/support/judgement/problem-words.ts";

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const schema: Schema = JSON.parse(readFileSync("schemas/program.schema.json", "utf8"));

/** The path of every field of a schema, at the first place of each list. */
function pathsOf(part: Schema, path: string): string[] {
  const [, name] = /#\/\$defs\/(\w+)$/.exec(part.$ref ?? "") ?? [];
  const definition = name === undefined ? undefined : schema.$defs?.[name];
  return [
    ...(part.properties === undefined
      ? []
      : Object.entries(part.properties).flatMap(([key, value]) => {
          const at = path === "" ? key : `${path}.${key}`;
          return [at, ...pathsOf(value, at)];
        })),
    ...(part.items === undefined ? [] : [`${path}[0]`, ...pathsOf(part.items, `${path}[0]`)]),
    ...(part.anyOf ?? []).flatMap((choice) => pathsOf(choice, path)),
    ...(definition === undefined ? [] : pathsOf(definition, path)),
  ];
}

test("every field of the published schema has words", () => {
  const paths = pathsOf({ $ref: "#/$defs/ProgramDetail" }, "");
  expect(paths).toContain("content.itinerary[0].description");
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => fieldLabel(path) === path)).toEqual([]);
});

test("every rule about a program's data has words, and none of a field's path", () => {
  const wordless = Object.keys(problemRules).filter((code) => {
    const problem = {
      code: code as keyof typeof problemRules,
      programId: "K",
      field: "hotels[1].name",
      value: "x",
    };
    return /hotels\[/.test(problemWords(reportedProblem(problem)));
  });
  expect(wordless).toEqual([]);
  const capacity = {
    code: "capacity_total_invalid",
    programId: "K",
    field: "capacity.total",
    value: null,
  } as const;
  expect(problemWords(reportedProblem(capacity))).toMatch(/^No capacity .* see 0 places\.$/);
});

test("a change of a price names whom it is for, and its currency", () => {
  const prices = (amount: number, children: readonly object[]) => ({
    currency: "EUR",
    prices: { startingAmount: amount, rooms: [{ occupancy: 1, amount }], children },
  });
  const child = { minAge: 2, maxAge: 11, amount: 400 };
  const words = programChanges(prices(1160, []), prices(1060.5, [child])).map((change) => change.words);
  expect(words).toEqual([
    { label: "Prices, starting amount", before: "1,160.00 EUR", after: "1,060.50 EUR" },
    { label: "Room for 1", before: "1,160.00 EUR", after: "1,060.50 EUR" },
    { label: "Child of 2 to 11 years", before: null, after: "400.00 EUR" },
  ]);
  expect([money(1500, "JPY"), money(1.005, "EUR"), money(3, null)]).toEqual([
    "1,500 JPY",
    "1.005 EUR",
    "3.00",
  ]);
});

test("days, lists and objects are told in words, too", () => {
  expect(valueWords("departureDate", "2027-04-01", null)).toBe("1 April 2027");
  expect(valueWords("content.included", ["Lunch", "Tickets"], null)).toBe('"Lunch", "Tickets"');
  expect(
    valueWords("hotels[0]", { name: "Ryokan", location: null, checkIn: "2027-04-01", starLevel: 4 }, null),
  ).toBe('name: "Ryokan"; check in: 1 April 2027; star level: 4');
  expect(valueWords("category", null, null)).toBe("nothing");
});

test("P57 an id keeps every character: as it is, or as JSON writes it", () => {
  const long = "x".repeat(300);
  expect([shownId("KYOTO-1"), shownId("a\n"), shownId("a "), shownId(long)]).toEqual([
    "KYOTO-1",
    '"a\\n"',
    '"a "',
    long,
  ]);
});

test.each([
  ["heritage", " Did you mean heritage-expeditions?"],
  ["heritage-expedition", " Did you mean heritage-expeditions?"],
  ["ALPINE", " Did you mean alpine?"],
  ["he", ""],
  ["zebra", ""],
])("P210 an unknown tenant %s is answered with the nearest%s", (asked, hint) => {
  expect(didYouMeanLonger(asked, ["alpine", "heritage-expeditions-2", "heritage-expeditions"])).toBe(hint);
});
