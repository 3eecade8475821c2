import fc from "fast-check";
import { expect, test } from "vitest";
import { publicUrl } from "../../../cli/public-program/public-url.ts";
import { parsedUrl } from "../../../core/parsed-url.ts";

const megabytes = 4 * 1024 * 1024;

/** With a pattern that takes quadratic time, each of these takes hours. */
test.each([
  ["a host that a blank ends", `https://${"a".repeat(megabytes)} `],
  ["a path that a blank ends", `https://a/${"/".repeat(megabytes)} `],
  ["nothing but colons", `https://${":".repeat(megabytes)}\\`],
  ["many that could begin", `${"https://".repeat(megabytes / 8)} `],
  ["letters before an @", `${"a".repeat(megabytes)}@`],
  ["many @", `x:${"@".repeat(megabytes)}`],
  ["blanks", " ".repeat(megabytes)],
])("a long URL is judged in one go: %s", (_, url) => {
  expect(publicUrl(url, "media.coverUrl", () => {}) === null).toBe(true);
});

/** What a single pattern, in quadratic time, would say. */
function asOnePattern(text: string): string | null {
  const authority = /^https:\/\/([^/?#\s\\]+)[^\s\\]*$/i.exec(text)?.[1];
  const isPublic = authority !== undefined && !authority.includes("@") && parsedUrl(text) !== undefined;
  return isPublic ? text : text.replace(/^([a-z]+:)?.*@/is, "$1…@");
}

test("short URLs are judged and shown as one pattern would", () => {
  const part = fc.constantFrom(
    ...[
      "https:",
      "http:",
      "HTTPS:",
      "//",
      "/",
      "a",
      "b.c",
      "@",
      ":",
      "#",
      "?",
      "\\",
      " ",
      "\n",
      "\u2028",
      "ſ",
      "$1",
      "8",
    ],
  );
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((rest) => `https://${rest}`),
      ),
      (url) => {
        fc.pre(url.trim() !== "");
        let shown: unknown = null;
        const published = publicUrl(url, "media.coverUrl", (_code, _field, value) => {
          shown = value;
        });
        expect(published ?? shown).toBe(asOnePattern(url));
      },
    ),
    { numRuns: 5000 },
  );
});
