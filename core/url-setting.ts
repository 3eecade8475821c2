import { parsedUrl } from "./parsed-url.ts";
import { type Setting, SettingFault } from "./setting-parser.ts";
import type { About } from "./setting-types.ts";

/** A URL of one of the given schemes. Its password, if any, is never shown. */
export function url(
  spec: About & {
    readonly schemes: readonly string[];
    /** PostgreSQL's may be elsewhere: in a query parameter, for a socket. */
    readonly needsHost?: boolean;
    readonly fallbackText: string;
  },
): Setting<URL | undefined> {
  return {
    ...spec,
    fallback: () => undefined,
    parse: (text) => {
      // The text may hold a password: no fault repeats it.
      const parsed = parsedUrl(text);
      if (parsed === undefined) throw new SettingFault(`is not a URL; ${percentEncode}`);
      const { protocol } = parsed;
      // `postgres:secret` is a URL, too: one of a path alone.
      if (!spec.schemes.includes(protocol) || !text.slice(protocol.length).startsWith("//")) {
        throw new SettingFault(`must begin with ${spec.schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
      }
      if (isMisread(parsed)) throw new SettingFault(`cannot be read for certain; ${percentEncode}`);
      if (spec.needsHost === true && parsed.hostname === "") throw new SettingFault("names no host");
      return parsed;
    },
    show: (value) => (value === undefined ? spec.fallbackText : shownUrl(value)),
  };
}

const percentEncode =
  "in a user name or password write # as %23, % as %25, / as %2F, : as %3A, ? as %3F and @ as %40";

/**
 * Whether part of a password may stand elsewhere: a raw `#`, `/` or `?` in it ends the host too early, so that the `@`
 * follows behind. Looking that host up would show a piece of the password to whoever reads the message, and to DNS.
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

function shownUrl(value: URL): string {
  const shown = new URL(value);
  if (shown.password !== "") shown.password = "redacted";
  // Connection parameters may carry a password too (`?password=`).
  return shown.search === "" ? shown.href : `${shown.href.slice(0, -shown.search.length)}?redacted`;
}
