import { BlockList, isIP, isIPv6, SocketAddress } from "node:net";
import { optional, SettingFault, setting } from "./setting-parser.ts";

/** The proxies whose headers about their clients are believed. */
export interface TrustedProxies {
  /** The entries of the setting as they were written. */
  readonly entries: readonly string[];
  /** `address` is in the form of `ipAddress`. */
  has(address: string): boolean;
}

/** The gateway's setting; `undefined` when it is not set. */
export const trustedProxies = setting(
  "TRUSTED_PROXIES",
  "comma-separated: IP addresses and networks (`10.0.0.0/8`) of proxies whose `Forwarded` or `X-Forwarded-For` names the client in the log",
  optional<TrustedProxies>(
    parseTrustedProxies,
    ({ entries }) => entries.join(","),
    "none: no client's address is logged",
  ),
);

/** W98: the fault names every wrong entry, so that all can be corrected at once. */
function parseTrustedProxies(list: string): TrustedProxies {
  const entries = list.split(",").map((entry) => entry.trim());
  const trusted = new BlockList();
  const wrong = entries.filter((entry) => !isAdded(trusted, entry));
  if (wrong.length > 0) {
    const named = wrong.map((entry) => (entry === "" ? "an empty entry" : JSON.stringify(entry))).join(", ");
    throw new SettingFault(
      `must be IP addresses and networks separated by commas, like 10.0.0.12,10.1.0.0/16,2001:db8::/32; these are none: ${named}`,
    );
  }
  return { entries, has: (address) => trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4") };
}

function isAdded(trusted: BlockList, entry: string): boolean {
  const [host = "", length, ...more] = entry.split("/");
  const address = ipAddress(host);
  if (address === undefined || more.length > 0) return false;
  const [family, bits] = isIPv6(address) ? (["ipv6", 128] as const) : (["ipv4", 32] as const);
  // A mapped network's prefix length would count from 128 bits, so such a network must be written as IPv4.
  if (length !== undefined && isIPv6(host) !== isIPv6(address)) return false;
  if (!/^(0|[1-9]\d{0,2})$/.test(length ?? "0") || Number(length ?? 0) > bits) return false;
  trusted.addSubnet(address, Number(length ?? bits), family);
  return true;
}

/**
 * The IP address in its canonical form, or `undefined`. IPv6 is written as in RFC 5952. An IPv4 address that
 * is mapped into IPv6, as a listener for both families sees its clients, becomes IPv4. An address with a zone
 * (`%eth0`) is refused, since a zone has a meaning on one machine only.
 */
export function ipAddress(text: string): string | undefined {
  switch (text.includes("%") ? 0 : isIP(text)) {
    case 4:
      return text;
    case 6: {
      const { address } = new SocketAddress({ address: text, family: "ipv6" });
      return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
    }
    default:
      return undefined;
  }
}
