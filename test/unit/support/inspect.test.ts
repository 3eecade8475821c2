import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { directionOf, html } from "../../../cli/output/html.ts";
import { isKeptRequestId, requestIdIn } from "../../../cli/read/gateway-log/find-requests.ts";

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

describe("a request id as somebody typed it", () => {
  test.each([
    " req-1 ",
    '"req-1"',
    '"req-1",',
    "'req-1'",
    "„req-1“",
    "«req-1»",
    "`req-1`",
    "\treq-1\r\n",
    "\u00a0req-1\u00a0",
  ])("%j is meant without what is around it", (typed) => expect(requestIdIn(typed)).toBe("req-1"));

  test.each(["", '"', " ' ' "])("%j leaves nothing", (typed) => expect(requestIdIn(typed)).toBe(""));

  test("keeps what an id may hold, and costs what its size costs", () => {
    expect(requestIdIn("._-Az09-_.")).toBe("._-Az09-_.");
    expect(requestIdIn(`${" ".repeat(1_000_000)}a${" ".repeat(1_000_000)}b`)).toHaveLength(1_000_002);
  });

  test.each([
    ["a", true],
    ["a".repeat(128), true],
    ["x-[token]-y", true],
    ["", false],
    ["a".repeat(129), false],
    ["a b", false],
    ["a/b", false],
    ["ü", false],
  ])("W40 %j is one that a gateway keeps: %s", (id, expected) => expect(isKeptRequestId(id)).toBe(expected));
});
