import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { directionOf, html } from "../../../cli/output/html.ts";

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
