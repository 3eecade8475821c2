import fc from "fast-check";
import { expect, test } from "vitest";
import { publicUrl } from "../../../cli/publish/public-program/public-text.ts";
import { parsedUrl } from "../../../core/ground/url.ts";
import { sized } from "../../support/quick-pass.ts";

const megabytes = sized({ whole: 4, quick: 0.25 }) * 1024 * 1024;

/** With a pattern that takes quadratic time, each of these takes hours. */
test.each([
  ["a host that a blank ends", `https://${"a".repeat(megabytes)} `],
  ["a path that a blank ends", `https://a/${"/".repeat(megabytes)} `],
  ["a path of nothing but percent signs", `https://a/${"%".repeat(megabytes)}`],
  ["a fragment of nothing but #", `https://a/${"#".repeat(megabytes)}`],
  ["a host in brackets without an end", `https://${"[".repeat(megabytes)}`],
  ["nothing but colons", `https://${":".repeat(megabytes)}\\`],
  ["many that could begin", `${"https://".repeat(megabytes / 8)} `],
  ["letters before an @", `${"a".repeat(megabytes)}@`],
  ["many @", `x:${"@".repeat(megabytes)}`],
  ["blanks", " ".repeat(megabytes)],
])("a long URL is judged in one go: %s", (_, url) => {
  const uri = publicUrl(url, "media.coverUrl", () => {});
  expect(uri === null || uri.length >= url.length).toBe(true);
});

/** RFC 3986 appendix A, for `https` and a host that is a name or in brackets. */
const pchar = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const userInformation = "(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@";
const name = "(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+";
const uriPattern = new RegExp(
  `^https://(${userInformation})?(?:${name}|\\[[0-9A-Fa-f:.]+\\])(?::\\d*)?(?:/${pchar}*)*(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?$`,
  "i",
);

test("D31 what is published of any address is a URI; one that is a URI stays as it is, and what is dropped shows no password", () => {
  const visible =
    'https: http: HTTPS: // / a b.c @ : # ? \\ ſ $1 8 % %4 %zz %C3%BC ü [ ] [::1] | { " ^ 😀 ß ＠ 。'.split(
      " ",
    );
  const part = fc.constantFrom(...visible, " ", "\n", "\u2028");
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
  const outcomes = { same: 0, mended: 0, dropped: 0 };
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((rest) => `https://a${rest}`),
        text.map((rest) => `HTTPS://${rest}`),
      ),
      (url) => {
        fc.pre(url.trim() !== "");
        let shown: unknown = null;
        const uri = publicUrl(url, "media.coverUrl", (_code, _field, value) => (shown = value));
        const asUri = uriPattern.exec(url);
        if (asUri !== null && asUri[1] === undefined && parsedUrl(url) !== undefined) {
          expect(uri).toBe(url);
          outcomes.same += 1;
        } else if (uri === null) {
          expect(shown).toBe(url.replace(/^([a-z]+:)?.*@/is, "$1…@"));
          outcomes.dropped += 1;
        } else {
          expect(uriPattern.exec(uri)?.[1]).toBeUndefined();
          expect(uri).toMatch(uriPattern);
          expect(parsedUrl(uri)?.host).toBe(parsedUrl(url)?.host ?? parsedUrl(uri)?.host);
          const tail = (address: string): string => /^.{8}[^/?#]*(.*)$/s.exec(address)?.[1] ?? "";
          expect(tail(uri)).toBe(escaped(tail(url)));
          outcomes.mended += 1;
        }
      },
    ),
    { numRuns: 5000 },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(100);
});

/**
 * The part behind the host with escapes where RFC 3986 wants them and nowhere else: only the first `#` begins
 * a fragment.
 */
function escaped(tail: string): string {
  const [before = "", ...fragment] = tail.split("#");
  return [before, ...fragment]
    .map((text) => text.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/gu, encodeURIComponent))
    .reduce((all, text, at) => `${all}${at === 1 ? "#" : "%23"}${text}`);
}
