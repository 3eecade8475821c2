import { describe, expect, it } from "vitest";
import {
  type Citation,
  citationFaults,
  citationsInComments,
  citationsInTitles,
  rulesOf,
} from "../../../scripts/rule-citations.ts";

const shown = (citations: readonly Citation[]): readonly string[] =>
  citations.map(({ number, where }) => `${number} ${where}`);
const inComments = (text: string): readonly string[] => shown(citationsInComments("a.ts", text));
const inTitles = (text: string): readonly string[] => shown(citationsInTitles("a.test.ts", text));

describe("the page of rules", () => {
  it("gives its rules in its order, and no number that stands within a sentence", () => {
    const page = "# Rules\n\n- **W1** One. (decision)\n- **W12** As W1, and **D9** too.\n\n- **T4** Four.\n";
    expect(rulesOf(page)).toEqual({ numbers: ["W1", "W12", "T4"], faults: [] });
  });

  it.each([
    ["a number twice", ["W1", "W1"], "W1 stands twice."],
    ["a number twice, apart", ["W1", "W2", "W1"], "W1 stands behind W2."],
    ["numbers out of order, though not as text", ["W10", "W9"], "W9 stands behind W10."],
    ["groups out of order", ["D1", "T1"], "T1 stands behind D1."],
  ])("is at fault for %s", (_, numbers, fault) => {
    const page = numbers.map((number) => `- **${number}** A rule.\n`).join("");
    expect(rulesOf(page).faults).toEqual([fault]);
  });

  it("is at fault without any rule", () => {
    expect(rulesOf("# Rules\n\nNone yet: W1.\n").faults).toEqual(["no rule was seen"]);
  });
});

describe("a citation in code", () => {
  it("stands in a comment of any kind, wherever it is", () => {
    const text = [
      "// W1: first.",
      "/** Two of them (W2, D30). */",
      "export function a(b: string): string {",
      "  return b; // T3",
      "  /*",
      "   * P4 */",
      "}",
      "// W5: behind all code.",
    ].join("\n");
    expect(inComments(text)).toEqual([
      "W1 a.ts:1",
      "W2 a.ts:2",
      "D30 a.ts:2",
      "T3 a.ts:4",
      "P4 a.ts:6",
      "W5 a.ts:8",
    ]);
  });

  it("is counted once where a comment documents a declaration", () => {
    expect(inComments("/** T4: once. */\nexport const a = { /** D5 */ b: 1 };")).toEqual([
      "T4 a.ts:1",
      "D5 a.ts:2",
    ]);
  });

  it("is no name, string, template or pattern that looks like one", () => {
    const text =
      'const W1 = "D2 // P3"; const p = /[D9] \\/\\/ P1/;' + `const T4 = \`W5 \${W1 /* P6 */} /* D7 */ W8\`;`;
    expect(inComments(text)).toEqual(["P6 a.ts:1"]);
  });

  it("is a whole word of one of the four letters, and not a number that begins with 0", () => {
    expect(inComments("// 0xD3, D3a, aD3, W_1, T0, T00:00, W1234, E5, w6, D, P: none. D3: one.")).toEqual([
      "D3 a.ts:1",
    ]);
  });
});

describe("a citation in a test", () => {
  it("stands in the title, also of a table's tests, of skipped ones and of templates", () => {
    const text = [
      'describe("W1 a", () => {',
      '  it("W2, W3 b", () => {});',
      '  test.each([["D9"]])("D4 %s", () => {});',
      `  test.skipIf(isOff)(\`P5 \${name}\`, () => {});`,
      "});",
    ].join("\n");
    expect(inTitles(text)).toEqual([
      "W1 a.test.ts:1",
      "W2 a.test.ts:2",
      "W3 a.test.ts:2",
      "D4 a.test.ts:3",
      "P5 a.test.ts:4",
    ]);
  });

  it("stands in the name of a case on the wire", () => {
    const text = 'describeWire("W1 a", [target("W2 b", "/W9"), { name: "W3 c", send: "D9" }]);';
    expect(inTitles(text)).toEqual(["W1 a.test.ts:1", "W2 a.test.ts:1", "W3 a.test.ts:1"]);
  });

  it("is no other text, comment or name", () => {
    const text =
      '// W1\nconst W2 = target("W3", { name: "W4" });\ntest("a", () => expect("W5").toBe(W2("W6")));';
    expect(inTitles(text)).toEqual([]);
  });
});

describe("the check", () => {
  const at = (number: string): Citation => ({ number, where: `${number.toLowerCase()}.ts:1` });

  it("passes when each rule is cited by code and by a test", () => {
    expect(citationFaults(["W1", "D2"], [at("W1"), at("D2"), at("D2")], [at("D2"), at("W1")])).toEqual([]);
  });

  it("names the place of a number that no rule has", () => {
    expect(citationFaults(["W1"], [at("W1"), at("W2")], [at("W1"), at("P3")])).toEqual([
      "w2.ts:1: no rule has the number W2.",
      "p3.ts:1: no rule has the number P3.",
    ]);
  });

  it("names a rule that only code or only a test cites", () => {
    expect(citationFaults(["W1", "W2"], [at("W1")], [at("W2")])).toEqual([
      "W2: no comment of the code cites it.",
      "W1: no test's title cites it.",
    ]);
  });
});
