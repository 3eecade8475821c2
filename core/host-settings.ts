import { SettingFault } from "./setting-parser.ts";
import { text } from "./setting-types.ts";

/** Of both admin listeners. */
export const adminHostNames = text<readonly string[]>({
  name: "ADMIN_HOST_NAMES",
  about:
    "comma-separated: host names by which an admin listener may be asked, beside IP addresses, `localhost` and its own host",
  fallbackText: "none",
  fallback: () => [],
  parse: (list) => list.split(",").map((name) => host(name.trim())),
  show: (names) => (names.length === 0 ? "none" : names.join(",")),
});

/** The address of a listener. */
export function host(name: string): string {
  if (/^[A-Za-z0-9._:%-]+$/.test(name)) return name;
  throw new SettingFault("must be an IP address or a host name");
}
