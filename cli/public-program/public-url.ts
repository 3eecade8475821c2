import { parsedUrl } from "../../core/parsed-url.ts";
import type { Report } from "./problem.ts";
import { presentText } from "./text.ts";

/** D31: the URL as it is, if it may be published: absolute, https, no user information. Blank counts as absent. */
export function publicUrl(text: string | null, field: string, report: Report): string | null {
  const url = presentText(text);
  if (url === null || isPublicUrl(url)) return url;
  report("url_dropped", field, withoutUserInformation(url));
  return null;
}

export function publicUrls(
  texts: readonly (string | null)[] | null,
  field: string,
  report: Report,
): string[] {
  const urls: string[] = [];
  texts?.forEach((text, at) => {
    // As in `presentTexts`: an array is no text.
    if (text !== null && typeof text !== "string") {
      urls.push(text);
      return;
    }
    const url = publicUrl(text, `${field}[${at}]`, report);
    if (url !== null) urls.push(url);
    else if (presentText(text) === null) report("text_missing", `${field}[${at}]`, text);
  });
  return urls;
}

/** A malformed URL may hide a password anywhere before an `@`; only the scheme is sure to be none. */
function withoutUserInformation(url: string): string {
  const at = url.lastIndexOf("@");
  if (at < 0) return url;
  const scheme = /^[a-z]+:/i.exec(url)?.[0] ?? "";
  return `${scheme}…@${url.slice(at + 1)}`;
}

/**
 * Stricter than the WHATWG parser, which forgives `https:host`, white space and backslashes that a partner's client
 * may read differently. Two patterns instead of one: the parts of one would share characters, and take quadratic time.
 */
function isPublicUrl(text: string): boolean {
  if (!/^https:\/\//i.test(text) || /[\s\\]/.test(text)) return false;
  const rest = text.slice("https://".length);
  const authority = rest.slice(0, authorityEnd(rest));
  return authority !== "" && !authority.includes("@") && parsedUrl(text) !== undefined;
}

function authorityEnd(rest: string): number {
  const end = rest.search(/[/?#]/);
  return end < 0 ? rest.length : end;
}
