import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelledLines, numbers, styleOf, table, wrapped } from "../../../cli/output/layout.ts";
import {
  exactTime,
  isTimeZone,
  plainTime,
  relativeAndExact,
  relativeTime,
} from "../../../cli/output/words.ts";
import { printable } from "../../../core/ground/printable.ts";

test("a table aligns columns by what a terminal shows, each row on one line", () => {
  const columns = ["TENANT", numbers("COUNT"), "STATE"];
  const rows = [
    ["acme", "7", "\u001b[32mlive\u001b[39m"],
    ["日本旅行", "1,200", ""],
    ["x".repeat(90), "12", "a state of several words"],
  ];
  const gap = " ".repeat(84);
  expect(table(columns, rows)).toBe(
    [
      `TENANT${gap}  COUNT  STATE`,
      `acme  ${gap}      7  \u001b[32mlive\u001b[39m`,
      `日本旅行${gap.slice(2)}  1,200`,
      `${"x".repeat(90)}     12  a state of several words`,
      "",
    ].join("\n"),
  );
});

test("P215 a table may have any number of rows, and so may labelled lines", () => {
  const ids = Array.from({ length: 213_000 }, (_, at) => `token-${at}`);
  expect(
    table(
      ["TOKEN"],
      ids.map((id) => [id]),
    ).split("\n"),
  ).toHaveLength(1 + ids.length + 1);
  const lines = labelledLines(
    ids.map((id) => [id, "text"]),
    80,
  );
  expect(lines.split("\n")[1]).toBe("  token-1       text");
});

describe("text for a terminal", () => {
  test("is wrapped at spaces and loses no word", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).filter((word) => !/\s/.test(word))), (words) => {
        const text = words.map(printable).join(" ");
        expect(wrapped(text, 40, 0).join(" ")).toBe(text);
      }),
    );
  });

  test("keeps a word that is longer than the line whole, so that ids and commands can be copied", () => {
    const id = "20261121T071750Z-1d658fe2-and-more";
    expect(wrapped(`in ${id} now`, 30)).toEqual(["in", `    ${id}`, "    now"]);
  });

  test("keeps its indent on every line, and four more from the second on", () => {
    expect(wrapped("  one two three four five six", 24)).toEqual(["  one two three four", "      five six"]);
  });
});

describe("colours", () => {
  const output = (isTTY: boolean) => ({ isTTY, columns: 80, write: () => {} });

  test("are used on a terminal", () => {
    expect(styleOf(output(true), {}).bad("x")).toBe("\u001b[31mx\u001b[39m");
    expect(styleOf(output(true), { NO_COLOR: "" }).bad("x")).toBe("\u001b[31mx\u001b[39m");
  });

  test.each([
    ["when the output is no terminal", false, {}],
    ["when NO_COLOR is set", true, { NO_COLOR: "1" }],
    ["when the terminal is dumb", true, { TERM: "dumb" }],
  ])("are left out %s", (_, isTTY, env) => expect(styleOf(output(isTTY), env).bad("x")).toBe("x"));
});

const now = new Date("2026-11-21T12:00:00.000Z");

const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

describe("a time for people", () => {
  test.each([
    [0, "just now"],
    [0.4, "just now"],
    [1, "1 second ago"],
    [59, "59 seconds ago"],
    [60, "1 minute ago"],
    [119 * 60, "119 minutes ago"],
    [2 * 3600, "2 hours ago"],
    [47 * 3600, "47 hours ago"],
    [48 * 3600, "2 days ago"],
    [400 * 86_400, "400 days ago"],
    [-90, "in 1 minute"],
    [-3 * 86_400, "in 3 days"],
  ])("%d seconds before now is %s", (seconds, text) => expect(relativeTime(ago(seconds), now)).toBe(text));

  test("comes with the exact time in UTC, to the second, whatever its own zone", () => {
    expect(exactTime("2026-11-21T13:59:59.999+02:00")).toBe("2026-11-21T11:59:59Z");
    expect(relativeAndExact("2026-11-21T09:00:00.000Z", { now, zone: "UTC" })).toBe(
      "3 hours ago (2026-11-21T09:00:00Z)",
    );
  });

  test("is told in the reader's zone, with UTC behind it", () => {
    const at = "2026-11-21T23:30:00.000Z";
    const paris = { now, zone: "Europe/Paris" };
    expect(exactTime(at, paris.zone)).toBe("2026-11-22T00:30:00+01:00 = 2026-11-21T23:30:00Z");
    expect(plainTime(at, paris)).toBe("22 November 2026, 00:30 CET (21 November 2026, 23:30 UTC)");
    expect(plainTime("2026-07-01T08:00:00Z", paris)).toBe("1 July 2026, 10:00 CEST (08:00 UTC)");
    expect(plainTime(at, { zone: "UTC" })).toBe("21 November 2026, 23:30 UTC");
    expect(exactTime(at, "America/St_Johns")).toBe("2026-11-21T20:00:00-03:30 = 2026-11-21T23:30:00Z");
    expect([isTimeZone("Europe/Paris"), isTimeZone("Nowhere/Land")]).toEqual([true, false]);
    expect(plainTime("soon", paris)).toBe("soon");
  });
});
