import { isIP } from "node:net";

/**
 * Whether a request with this `Host` is meant for the admin listener. A web page of somebody else's can have its own
 * name resolve to this machine and then reads what its visitor's browser gets from here (DNS rebinding); but that browser
 * sends the page's name. No page has a name that is an address. A request without `Host` comes from no browser.
 */
export function createAdminHostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const known = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
  return (host) => {
    if (host === undefined) return true;
    const name = hostName(host);
    return isIP(name) !== 0 || known.has(name.toLowerCase());
  };
}

/** RFC 3986 section 3.2: without the port, and an IPv6 address without its brackets. */
function hostName(host: string): string {
  const end = host.startsWith("[") ? host.indexOf("]") : host.indexOf(":");
  return host.slice(host.startsWith("[") ? 1 : 0, end === -1 ? undefined : end);
}
