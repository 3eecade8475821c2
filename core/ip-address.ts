import { isIP, SocketAddress } from "node:net";

/**
 * An IP address in its one usual form, or `undefined`: IPv6 as RFC 5952 writes it, and an IPv4 address that is mapped into
 * IPv6, as a listener for both sees its clients, as IPv4. A zone (`%eth0`) means something on one machine only.
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
