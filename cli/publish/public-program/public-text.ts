import { domainToASCII } from "node:url";
import { parsedUrl } from "../../../core/ground/url.ts";
import type { Report } from "./problem.ts";

/** `null` for a text that is absent or shows nothing (D7). */
export function presentText(text: string | null): string | null {
  return text === null || !visible.test(text) ? null : text;
}

/**
 * Blank texts are dropped with a warning (D35). The elements of a two-dimensional `text[]` are arrays; they
 * stay, so that the schema refuses the program.
 */
export function presentTexts(
  texts: readonly (string | null)[] | null,
  field: string,
  report: Report,
): string[] {
  const present: string[] = [];
  texts?.forEach((text, at) => {
    if (text === null || (typeof text === "string" && !visible.test(text)))
      report("text_missing", `${field}[${at}]`, text);
    else present.push(text);
  });
  return present;
}

/**
 * A character other than white space of Unicode and those without width: zero-width spaces and joiners, the
 * byte order mark. A search for one remembers nothing of those before it (D141).
 */
const visible = /[^\p{White_Space}\u200b-\u200d\u2060\ufeff]/u;

/** The URL as published: absolute, `https`, no user information, RFC 3986 (D31). Blank text is absent. */
export function publicUrl(text: string | null, field: string, report: Report): string | null {
  const url = presentText(text);
  if (url === null) return null;
  const uri = httpsUri(url);
  // A password may stand anywhere before an `@`, so only the scheme is reported of that part.
  if (uri === undefined) report("url_dropped", field, url.replace(/^([a-z]+:)?.*@/is, "$1…@"));
  return uri ?? null;
}

export function publicUrls(
  texts: readonly (string | null)[] | null,
  field: string,
  report: Report,
): string[] {
  const urls: string[] = [];
  texts?.forEach((text, at) => {
    // Arrays stay, for the schema to refuse the program, as in `presentTexts`.
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

/**
 * `undefined` for a text that is no https URI (D31). RFC 3986 decides, because partners' tools check
 * addresses against it. The WHATWG parser would change correct addresses (upper case, `/..`), so it only
 * checks ports and numeric hosts. Two searches cut the text into parts: in a single pattern the parts would
 * share characters, and matching would take quadratic time.
 */
function httpsUri(text: string): string | undefined {
  if (!/^https:\/\//i.test(text)) return undefined;
  const [scheme, rest] = [text.slice(0, 8), text.slice(8)];
  const [given = ""] = rest.split(/[/?#]/, 1);
  const authority = asciiAuthority(given);
  // Path, query and fragment (RFC 3986 sections 3.3 to 3.5). Only the first `#` begins a fragment.
  const [tail = "", ...fragment] = rest.slice(given.length).split("#");
  const end = fragment.length === 0 ? "" : `#${encoded(fragment.join("#"))}`;
  const uri = `${scheme}${authority}${encoded(tail)}${end}`;
  return authority === undefined || uri.length > maxUrlLength || !parsedUrl(uri) ? undefined : uri;
}

/** D141: no browser opens a longer one, and the schema's pattern remembers each character. */
const maxUrlLength = 2 * 1024 * 1024;

/**
 * Host and port in ASCII (RFC 3986 section 3.2); `undefined` without a valid host, and with user information.
 * `domainToASCII` drops line breaks and everything after a backslash, so it gets allowed characters only.
 */
function asciiAuthority(authority: string): string | undefined {
  const [, host = "", port = ""] = /^(\[[0-9A-Fa-f:.]+\]|[^:@[\]]+)(:[0-9]*)?$/.exec(authority) ?? [];
  if (host.startsWith("[") || isAsciiHost(host)) return authority;
  if (host.length > maxHostLength || !/^[A-Za-z0-9._~!$&'()*+,;=%\u0080-\uffff-]+$/.test(host))
    return undefined;
  const ascii = domainToASCII(host);
  return isAsciiHost(ascii) ? ascii + port : undefined;
}

/**
 * D140: `domainToASCII` takes a minute for 340,000 letters. Most of a longer host's would have to vanish.
 */
const maxHostLength = 4 * 253;

/** D140: at most 253 octets before the last dot, 63 a label (RFC 1035, 2.3.4). An escape is one octet. */
function isAsciiHost(host: string): boolean {
  const octets = host.replace(/%[0-9A-Fa-f]{2}/g, "x");
  return /^[A-Za-z0-9._~!$&'()*+,;=-]{1,253}\.?$/.test(octets) && !/[^.]{64}/.test(octets);
}

/** Percent-encodes, as UTF-8, what no part after the authority may have, and each `%` that is no escape. */
function encoded(part: string): string {
  return part.replace(/%[0-9A-Fa-f]{2}|%|[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]+/g, (run) => {
    if (run.startsWith("%")) return run === "%" ? "%25" : run;
    return Buffer.from(run).toString("hex").toUpperCase().replaceAll(/../g, "%$&");
  });
}
