import { Failure } from "../../../core/failure.ts";

/** The company that hands the folder over: what its partners have to know of it. */
export interface Company {
  readonly name: string;
  /** The address before `/v1/programs`, without a slash at its end. */
  readonly baseUrl: string;
  readonly contact: Contact;
  /** Whether it has a sandbox for its partners' tests. */
  readonly hasSandbox: boolean;
}

/** Whom a partner's engineer asks. */
export interface Contact {
  readonly kind: "email" | "url";
  /** As people read it. */
  readonly text: string;
  /** What a link leads to. */
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
 * The address under which partners reach the gateway, normalized: scheme and host in lower case, no slash at the end. Plain
 * HTTP is for a trial on one's own machine only: tokens go over it. Throws `usage`.
 */
export function parseBaseUrl(text: string): string {
  const url = parsedUrl(text);
  if (url === undefined) throw new Failure("usage", "Expected an address like https://programs.example.com.");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Failure(
      "usage",
      "Expected https://: partners send tokens there (http:// only for this machine).",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new Failure("usage", "Expected an address without user name and password.");
  }
  // Also an empty one, as in `https://host/?`: paths are put behind the address.
  if (/[?#]/.test(text)) throw new Failure("usage", "Expected an address without ? and #: paths follow it.");
  let path = url.pathname;
  while (path.endsWith("/")) path = path.slice(0, -1);
  // Every client would have to agree on what `//` or `%2F` means; and a template takes braces for a variable.
  if (/\/\/|%|[{}]/.test(path)) throw new Failure("usage", "Expected an address with a plain path, or none.");
  return `${url.origin}${path}`;
}

/** An e-mail address, or the https address of a page. Throws `usage`. */
export function parseContact(text: string): Contact {
  if (/^[A-Za-z0-9.!#$&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)) {
    return { kind: "email", text, href: `mailto:${text.replace(/[?&#]/g, encodeURIComponent)}` };
  }
  const url = parsedUrl(text);
  if (url?.protocol === "https:" && url.username === "" && url.password === "") {
    return { kind: "url", text: url.href, href: url.href };
  }
  throw new Failure("usage", "Expected an e-mail address or the https:// address of a page.");
}

/** Not `URL` alone, which takes `https:host` and drops white space. */
function parsedUrl(text: string): URL | undefined {
  return /^[a-z]+:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
