import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { directionOf, html } from "../../../cli/output/html.ts";
import { calendarDay, money } from "../../../cli/publish/public-program/field-words.ts";
import { searchPrograms } from "../../../cli/support/pages/programs-section.ts";
import type { ProgramListItem } from "../../../schemas/generated/types.ts";

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

function program(id: string, name: string): ProgramListItem {
  const capacity = { total: 1, used: 0, remaining: 1 };
  const prices = { startingAmount: null, rooms: [], children: [] };
  const none = { departureDate: null, returnDate: null, durationDays: null, duration: null };
  return {
    id,
    name,
    status: "active",
    ...none,
    capacity,
    currency: null,
    category: null,
    guide: null,
    prices,
  };
}

describe("the search for programs", () => {
  const programs = [
    program("KYO-1", "Kyōto im Frühling"),
    program("NAR-2", "Nara"),
    program("京-3", "京都 桜"),
  ];

  test.each([
    ["", ["KYO-1", "NAR-2", "京-3"]],
    ["kyoto", ["KYO-1"]],
    ["FRUHLING ky", ["KYO-1"]],
    ["nar-2", ["NAR-2"]],
    ["京都", ["京-3"]],
    ["paris", []],
  ])("for %j finds %j, whatever case and accents", (query, ids) => {
    expect(searchPrograms(programs, new URLSearchParams({ q: query })).rows.map(({ id }) => id)).toEqual(ids);
  });

  test("gives one page of many, and the nearest one to a page that is not there", () => {
    const many = Array.from({ length: 120 }, (_, at) => program(`p-${at}`, "x"));
    const page = (number: number) => new URLSearchParams({ page: String(number) });
    expect(searchPrograms(many, page(2))).toMatchObject({ matches: many, page: 2, pages: 3 });
    expect(searchPrograms(many, page(99)).rows.map(({ id }) => id)[0]).toBe("p-100");
    expect(searchPrograms(many, page(-1)).page).toBe(1);
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
