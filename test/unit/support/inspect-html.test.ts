import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { directionOf, html } from "../../../cli/output/html.ts";
import { calendarDay, money } from "../../../cli/publish/public-program/value-words.ts";

describe("a template of HTML", () => {
  test("escapes every text, in elements and in attributes", () => {
    const hostile = `"><script>alert('x')</script>&`;
    expect(html`<a href="${hostile}">${hostile}</a>`.markup).toBe(
      '<a href="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">' +
        "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</a>",
    );
  });

  test("lets no text begin or end a tag or an attribute, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // Right-to-left text stands in an element of its own.
        expect(html`${text}`.markup.replace(/^<bdi>(.*)<\/bdi>$/s, "$1")).not.toMatch(/[<>"']/);
        expect(html`<a title="${text}">`.markup.slice(10, -2)).not.toMatch(/[<>"']/);
      }),
    );
  });

  test("takes other templates, lists of them, and leaves nothing out but nothing", () => {
    const items = ["a", "b"].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}${null}${undefined}${false}${0}${""}</ul>`.markup).toBe(
      "<ul><li>a</li><li>b</li>0</ul>",
    );
  });

  test("takes no object for a template that only looks like one", () => {
    const forged = { markup: "<script>" };
    expect(html`${forged}`.markup).not.toContain("<script>");
  });
});

describe("the words for a program", () => {
  test.each([
    [1234.5, "EUR", "1,234.50 EUR"],
    [482.4, "USD", "482.40 USD"],
    [120_000, "JPY", "120,000 JPY"],
    [1.5, "KWD", "1.500 KWD"],
    [1.5, "QQQ", "1.50 QQQ"],
    [0.125, "EUR", "0.125 EUR"],
    [0.000_001, null, "0.000001"],
    [7, null, "7.00"],
  ])("give %d %s as %s: the currency's decimals, and every digit", (amount, currency, words) => {
    expect(money(amount, currency)).toBe(words);
  });

  test("give a calendar date the day that it is, in every time zone", () => {
    expect(calendarDay("2027-04-01")).toBe("1 April 2027");
    expect(calendarDay("0001-01-01")).toBe("1 January 1");
  });
});

test.each([
  ["12 שלום and more", "rtl"],
  ["Hotel שלום", "ltr"],
  ["مرحبا", "rtl"],
  ["日本", "ltr"],
  ["12", "ltr"],
])("%s is written %s, as its first letter is", (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});
