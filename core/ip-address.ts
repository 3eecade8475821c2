import { isIP, SocketAddress } from "node:net";

/**
 * The IP address in its canonical form, or `undefined`. IPv6 is written as in RFC 5952. An IPv4 address that is mapped into
 * IPv6, as a listener for both families sees its clients, becomes IPv4. An address with a zone (`%eth0`) is refused, since a
 * zone has a meaning on one machine only.
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
