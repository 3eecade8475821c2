import { Failure } from "../../../core/ground/failure.ts";
import { parsedUrl } from "../../../core/ground/url.ts";

/** The facts about the company that its partners need. The company hands the folder over to them. */
export interface Company {
  readonly name: string;
  /** The address before `/v1/programs`, without a slash at its end. */
  readonly baseUrl: string;
  readonly contact: Contact;
  /** Whether the company has a sandbox for its partners' tests. */
  readonly hasSandbox: boolean;
}

/** The contact for a partner's engineers: an e-mail address or a page. */
export interface Contact {
  readonly kind: "email" | "url";
  /** As people read it. */
  readonly text: string;
  /** The address for a link. */
  readonly href: string;
}

const maxNameLength = 100;

/** Throws `usage`. */
export function parseCompanyName(text: string): string {
  const name = text.trim();
  if (name === "" || [...name].length > maxNameLength || /[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw new Failure("usage", `Expected the company's name, 1 to ${maxNameLength} characters on one line.`);
  }
  return name;
}

/**
 * The address under which partners reach the gateway, normalized: scheme and host in lower case, no slash at
 * the end. Plain HTTP is allowed for a trial on this machine only, since it carries tokens unencrypted.
 * Throws `usage`.
 */
export function parseBaseUrl(text: string): string {
  const url = strictUrl(text);
  const path = url?.pathname.replace(/\/$/, "") ?? "";
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  // An empty query, as in `https://host/?`, is refused, too. Clients differ in how they treat `//` and `%2F`,
  // and a template takes braces for a variable.
  const isPlain = !/[?#]/.test(text) && !/\/\/|\/$|%|[{}]/.test(path);
  if (isSafe && isPlain && url.username + url.password === "") return `${url.origin}${path}`;
  throw new Failure(
    "usage",
    "Expected an address like https://programs.example.com: with https://, since partners send tokens there (http:// only for this machine), " +
      "without user name and password, without ? and #, and with a plain path, or none.",
  );
}

/** An e-mail address, or the https address of a page. Throws `usage`. */
export function parseContact(text: string): Contact {
  if (/^[A-Za-z0-9.!#$&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)) {
    return { kind: "email", text, href: `mailto:${text.replace(/[?&#]/g, encodeURIComponent)}` };
  }
  const url = strictUrl(text);
  if (url?.protocol === "https:" && url.username === "" && url.password === "") {
    return { kind: "url", text: url.href, href: url.href };
  }
  throw new Failure("usage", "Expected an e-mail address or the https:// address of a page.");
}

/** Stricter than `URL`, which accepts `https:host` and drops white space. */
function strictUrl(text: string): URL | undefined {
  return /^[a-z]+:\/\/[^\s\\]+$/i.test(text) ? parsedUrl(text) : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
