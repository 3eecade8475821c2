import { isIP } from "node:net";

/**
 * Whether a request with this `Host` is meant for this machine's listener. A foreign web page can make its own name resolve to
 * this machine and then read what its visitor's browser gets from here (DNS rebinding). But that browser sends the page's
 * name as `Host`, and no page has an IP address as its name. A request without `Host` comes from no browser.
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
