import { parsedUrl } from "../ground/url.ts";
import { optional, SettingFault, type SettingKind } from "./setting-parser.ts";

/** A URL of one of the given schemes. Its password, if any, is never shown. */
export function url(schemes: readonly string[], fallbackText: string): SettingKind<URL | undefined> {
  const parse = (text: string): URL => {
    const parsed = parseUrl(text, schemes);
    if (parsed.hostname === "") throw new SettingFault("names no host");
    return parsed;
  };
  return optional(parse, shownUrl, fallbackText);
}

/** Throws a `SettingFault`, which does not repeat the text, since that may hold a password. */
export function parseUrl(text: string, schemes: readonly string[]): URL {
  const parsed = parsedUrl(text);
  if (parsed === undefined) throw new SettingFault(`is not a URL; ${percentEncode}`);
  const { protocol } = parsed;
  // `postgres:secret` is a valid URL without a host.
  if (!schemes.includes(protocol) || !text.slice(protocol.length).startsWith("//")) {
    throw new SettingFault(`must begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
  }
  if (isMisread(parsed)) throw new SettingFault(`is ambiguous; ${percentEncode}`);
  return parsed;
}

const percentEncode =
  "in a user name or password write # as %23, % as %25, / as %2F, : as %3A, ? as %3F and @ as %40";

/**
 * Whether part of a password may have been read as host or path. A raw `#`, `/` or `?` in the password ends
 * the host too early, and the `@` comes later. Looking up that host would show part of the password in
 * messages and to DNS.
 */
function isMisread({ pathname, search, hash, username, password, hostname }: URL): boolean {
  if (hash !== "" || `${pathname}${search}`.includes("@")) return true;
  try {
    for (const part of [username, password, hostname, pathname]) decodeURIComponent(part);
    return false;
  } catch {
    return true;
  }
}

/** The URL without its password and its parameters, one of which may be a password. */
export function shownUrl(value: URL): string {
  const shown = new URL(value);
  if (shown.password !== "") shown.password = "redacted";
  // Connection parameters may carry a password too (`?password=`).
  return shown.search === "" ? shown.href : `${shown.href.slice(0, -shown.search.length)}?redacted`;
}
