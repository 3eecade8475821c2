import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { html } from "../../../cli/output/html.ts";
import { labelledLines, table, wrapped } from "../../../cli/output/layout.ts";
import { safeOutput } from "../../../cli/output/safe-output.ts";
import { Failure } from "../../../core/ground/failure.ts";
import {
  printable,
  printableJson,
  singleLine,
  visible,
  withoutMiddle,
} from "../../../core/ground/printable.ts";
import { forgery, hostileText, outputFaults } from "../../support/hostile-text.ts";

/** Pieces that steer, and ordinary ones, in any order; every third text is any text at all. */
const foreign = fc.oneof(
  fc
    .array(fc.constantFrom(...hostileText, hostileText, `\n${forgery}`, "a", " ", "é", "日本", "שלום", "🗾"))
    .map((pieces) => pieces.join("")),
  fc.array(fc.constantFrom(...hostileText, "\ud800", "\udc00", "\u0000")).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
);

const written = (text: string, isTTY: boolean): string => {
  let shown = "";
  safeOutput({ isTTY, columns: 80, write: (chunk) => (shown += String(chunk)) }).write(text);
  return shown;
};

describe("foreign text", () => {
  test.each<[string, (text: string) => string]>([
    ["in a sentence", (text) => `It is ${printable(text)}.`],
    ["in a text whose spaces count", (text) => `It is ${singleLine(text)}.`],
    ["in a failure", (text) => new Failure("usage", `It is ${text}`).message],
    ["in the second line of a failure", (text) => new Failure("usage", ["Two:", `  ${text}`]).message],
    [
      "in a cell",
      (text) =>
        table(
          ["A", "B"],
          [
            ["a", text],
            [`b${text}`, "c"],
          ],
        ),
    ],
    ["in a fact", (text) => labelledLines([[`a${text}`, text, text]], 40)],
    ["in a wrapped sentence", (text) => wrapped(`It is ${text} ${text}`, 30).join("\n")],
  ])("%s neither steers a terminal nor forges a line", (_, shown) => {
    fc.assert(
      fc.property(foreign, (text) => {
        // Tables and facts keep colours, since they take them for the program's own; sentences never have
        // any.
        const bare = text.replaceAll("\u001b[31mRED", "");
        expect(outputFaults(shown(bare), true)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("of any length leaves a failure short, with its beginning and what is to be done behind the quote", () => {
    fc.assert(
      fc.property(foreign, fc.integer({ min: 1, max: 3000 }), (text, times) => {
        const { message } = new Failure("usage", `It is "${text.repeat(times)}". Mend it.`);
        expect(message.length).toBeLessThanOrEqual(6 * 1000);
        expect(message).toMatch(/^It is ".*Mend it\.$/su);
      }),
      { numRuns: 100 },
    );
  });

  test("is cut in its middle from 1,001 characters on, and in no pair of them", () => {
    const text = `${"a".repeat(599)}🗾${"b".repeat(399)}`;
    expect(withoutMiddle(text)).toBe(text);
    const cut = withoutMiddle(`${text}c`);
    expect([cut.length <= 1000, cut.startsWith("aaa"), cut.endsWith("bbc")]).toEqual([true, true, true]);
    expect(Buffer.from(cut).toString()).toBe(cut);
  });

  test("never comes at the beginning of a line by where a sentence breaks", () => {
    for (let padding = 0; padding < 120; padding += 1) {
      const lines = wrapped(`The reason: ${"x".repeat(padding)} ${forgery}`, 60);
      expect(lines.slice(1).filter((line) => !line.startsWith("    "))).toEqual([]);
    }
  });

  test.each([true, false])("is caught by the net when it slipped through, on a terminal: %j", (isTTY) => {
    fc.assert(
      fc.property(foreign, (text) => {
        const faults = outputFaults(written(`It is ${text}`, isTTY), isTTY);
        expect(faults.filter((fault) => !/^a (forged|foreign)/.test(fault))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("stays the same data in JSON, through the net, too", () => {
    fc.assert(
      fc.property(foreign, (text) => {
        for (const indent of [0, 2]) {
          const json = printableJson({ [text]: [text] }, indent);
          expect([outputFaults(json, false), JSON.parse(json)]).toEqual([[], { [text]: [text] }]);
        }
        const raw = `${JSON.stringify({ [text]: text })}\n`;
        expect(JSON.parse(written(raw, false))).toEqual({ [text]: text });
      }),
    );
  });

  test("stands isolated and visible in a page, in text, in a title and in an attribute", () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const { markup } = html`<title>${text} · x</title><h1 title="${text}">${text}</h1>`;
        const shown = markup.replace(/[\n\t]/g, " ");
        expect(outputFaults(shown, false)).toEqual([]);
        expect(markup.replaceAll(/<\/?bdi>/g, "").match(/[<>]/g)).toHaveLength(8);
      }),
    );
  });
});

describe("what people write", () => {
  test.each(["Kyōto im Frühling 日本 🗾 👩‍👩‍👧", "مرحبا بالعالم (٣ أيام)", "می‌خواهم", "שלום עולם", "क्‍ष"])(
    "stays as it is: %s",
    (text) => expect([printable(text), singleLine(text), visible(text)]).toEqual([text, text, text]),
  );

  test("is isolated on a page when it runs from right to left, but in no title, option or attribute", () => {
    const name = "שלום";
    expect(html`<h1>Why ${name}</h1>`.markup).toBe(`<h1>Why <bdi>${name}</bdi></h1>`);
    expect(html`<a title="${name}">${[name, "x"]}</a>`.markup).toBe(
      `<a title="${name}"><bdi>${name}</bdi>x</a>`,
    );
    expect(html`<option value="${name}" selected>${name}</option>`.markup).not.toContain("bdi");
    expect(html`<title>${name} · x</title>`.markup).not.toContain("bdi");
  });
});

describe("the net below all output", () => {
  const token = "ppr_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrs";

  test("lets the program's colours and its progress line pass on a terminal alone", () => {
    expect(written("\u001b[31mno\u001b[39m\n", true)).toBe("\u001b[31mno\u001b[39m\n");
    expect(written("\u001b[31mno\u001b[39m\n", false)).toBe("\\u001b[31mno\\u001b[39m\n");
    expect(written("\r3 of 4\u001b[K", true)).toBe("\r3 of 4\u001b[K");
    expect(written("\ra\u001b[2Jb\u001b[K", true)).toBe("\ra\\u001b[2Jb\u001b[K");
    expect(written("\r3 of 4\u001b[K", false)).toBe("\\u000d3 of 4\\u001b[K");
  });

  test("lets bytes pass to a program, and shows them as text on a terminal", () => {
    const bytes = Buffer.from(`{"a":"\u202e${token}"}`);
    const shown = (isTTY: boolean): unknown => {
      const chunks: unknown[] = [];
      safeOutput({ isTTY, columns: 80, write: (chunk) => chunks.push(chunk) }).write(bytes);
      return chunks;
    };
    expect([shown(false), shown(true)]).toEqual([[bytes], ['{"a":"\\u202eppr_…"}']]);
  });

  test("repeats no token but the one that is issued", () => {
    expect(written(`program ${token} and ${token.slice(0, 30)}`, false)).toBe("program ppr_… and ppr_…");
    const chunks: unknown[] = [];
    const output = safeOutput({ isTTY: false, columns: 80, write: (chunk) => chunks.push(chunk) });
    output.write(`${token} ${token.replace("A", "B")}`, [token]);
    expect(chunks).toEqual([`${token} ppr_…`]);
    expect(html`<a href="/${token}">${token}</a>`.markup).toBe('<a href="/ppr_…">ppr_…</a>');
  });
});
