import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plain, styleOf } from "../../../cli/output/layout.ts";
import { wrapped } from "../../../cli/output/lines.ts";
import { printable } from "../../../core/printable.ts";

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
  ])("are left out %s", (_, isTTY, env) => {
    expect(styleOf(output(isTTY), env)).toBe(plain);
  });
});
