import { parsedUrl } from "./parsed-url.ts";
import { type Setting, SettingFault } from "./setting-parser.ts";
import type { About } from "./setting-types.ts";

/** A URL of one of the given schemes. Its password, if any, is never shown. */
export function url(
  spec: About & {
    readonly schemes: readonly string[];
    /** Not set for PostgreSQL, whose host may be in a query parameter, as for a socket. */
    readonly needsHost?: boolean;
    readonly fallbackText: string;
  },
): Setting<URL | undefined> {
  return {
    ...spec,
    fallback: () => undefined,
    parse: (text) => {
      // The text may hold a password, so no fault repeats it.
      const parsed = parsedUrl(text);
      if (parsed === undefined) throw new SettingFault(`is not a URL; ${percentEncode}`);
      const { protocol } = parsed;
      // `postgres:secret` is a valid URL without a host.
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
 * Whether part of a password may have been read as host or path. A raw `#`, `/` or `?` in the password ends the host too early,
 * and the `@` comes later. Looking up that host would show part of the password in messages and to DNS.
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
