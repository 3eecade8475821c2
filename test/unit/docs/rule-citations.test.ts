import { describe, expect, test } from "vitest";
import {
  type Citation,
  citationFaults,
  citationsInComments,
  citationsInTitles,
  rulesOf,
} from "../../../scripts/rule-citations.ts";

// The numbers are above those of any rule, so that a search for a rule does not end here.
const shown = (citations: readonly Citation[]): readonly string[] =>
  citations.map(({ number, where }) => `${number} ${where}`);
const inComments = (text: string): readonly string[] => shown(citationsInComments("a.ts", text));
const inTitles = (text: string): readonly string[] => shown(citationsInTitles("a.test.ts", text));

describe("the page of rules", () => {
  test("gives its rules in its order, and no number that stands within a sentence", () => {
    const page =
      "# Rules\n\n- **W901** One. (decision)\n- **W912** As W901, and **D909** too.\n\n- **T904** Four.\n";
    expect(rulesOf(page)).toEqual({ numbers: ["W901", "W912", "T904"], faults: [] });
  });

  test.each([
    ["a number twice", ["W901", "W901"], "W901 stands twice."],
    ["a number twice, apart", ["W901", "W902", "W901"], "W901 stands behind W902."],
    ["numbers out of order, though not as text", ["W100", "W99"], "W99 stands behind W100."],
    ["groups out of order", ["D901", "T901"], "T901 stands behind D901."],
  ])("is at fault for %s", (_, numbers, fault) => {
    const page = numbers.map((number) => `- **${number}** A rule.\n`).join("");
    expect(rulesOf(page).faults).toEqual([fault]);
  });

  test("is at fault without any rule", () => {
    expect(rulesOf("# Rules\n\nNone yet: W901.\n").faults).toEqual(["no rule was seen"]);
  });
});

describe("a citation in code", () => {
  test("stands in a comment of any kind, wherever it is", () => {
    const text = [
      "// W901: first.",
      "/** Two of them (W902, D930). */",
      "export function a(b: string): string {",
      "  return b; // T903",
      "  /*",
      "   * P904 */",
      "}",
      "// W905: behind all code.",
    ].join("\n");
    expect(inComments(text)).toEqual([
      "W901 a.ts:1",
      "W902 a.ts:2",
      "D930 a.ts:2",
      "T903 a.ts:4",
      "P904 a.ts:6",
      "W905 a.ts:8",
    ]);
  });

  test("is counted once where a comment documents a declaration", () => {
    expect(inComments("/** T904: once. */\nexport const a = { /** D905 */ b: 1 };")).toEqual([
      "T904 a.ts:1",
      "D905 a.ts:2",
    ]);
  });

  test("is no name, string, template or pattern that looks like one", () => {
    const text =
      'const W901 = "D902 // P903"; const p = /[D909] \\/\\/ P901/;' +
      `const T904 = \`W905 \${W901 /* P906 */} /* D907 */ W908\`;`;
    expect(inComments(text)).toEqual(["P906 a.ts:1"]);
  });

  test("is a whole word of one of the four letters, and not a number that begins with 0", () => {
    expect(inComments("// 0xD3, D3a, aD3, W_1, T0, T00:00, W1234, E5, w6, D, P: none. D903: one.")).toEqual([
      "D903 a.ts:1",
    ]);
  });
});

describe("a citation in a test", () => {
  test("stands in the title, also of a table's tests, of skipped ones and of templates", () => {
    const text = [
      'describe("W901 a", () => {',
      '  it("W902, W903 b", () => {});',
      '  test.each([["D909"]])("D904 %s", () => {});',
      `  test.skipIf(isOff)(\`P905 \${name}\`, () => {});`,
      "});",
    ].join("\n");
    expect(inTitles(text)).toEqual([
      "W901 a.test.ts:1",
      "W902 a.test.ts:2",
      "W903 a.test.ts:2",
      "D904 a.test.ts:3",
      "P905 a.test.ts:4",
    ]);
  });

  test("stands in the name of a case on the wire", () => {
    const text = 'describeWire("W901 a", [target("W902 b", "/W909"), { name: "W903 c", send: "D909" }]);';
    expect(inTitles(text)).toEqual(["W901 a.test.ts:1", "W902 a.test.ts:1", "W903 a.test.ts:1"]);
  });

  test("is no other text, comment or name", () => {
    const text =
      '// W901\nconst W902 = target("W903", { name: "W904" });\ntest("a", () => expect("W905").toBe(W902("W906")));';
    expect(inTitles(text)).toEqual([]);
  });
});

describe("the check", () => {
  const at = (number: string): Citation => ({ number, where: `${number.toLowerCase()}.ts:1` });

  test("passes when each rule is cited by code and by a test", () => {
    expect(
      citationFaults(["W901", "D902"], [at("W901"), at("D902"), at("D902")], [at("D902"), at("W901")]),
    ).toEqual([]);
  });

  test("names the place of a number that no rule has", () => {
    expect(citationFaults(["W901"], [at("W901"), at("W902")], [at("W901"), at("P903")])).toEqual([
      "w902.ts:1: no rule has the number W902.",
      "p903.ts:1: no rule has the number P903.",
    ]);
  });

  test("names a rule that only code or only a test cites", () => {
    expect(citationFaults(["W901", "W902"], [at("W901")], [at("W902")])).toEqual([
      "W902: no comment of the code cites it.",
      "W901: no test's title cites it.",
    ]);
  });
});
