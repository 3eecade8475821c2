import type { Socket } from "node:net";
import { ipAddress, type TrustedProxies } from "../../core/process/trusted-proxies.ts";

/** Finds the client's address for the log, when the operator has named trusted proxies (W98). */
export type ClientAddresses = ReturnType<typeof createClientAddresses>;

export function createClientAddresses(proxies: TrustedProxies) {
  /**
   * W98: the search goes from the right, since each proxy appends the address that it got the request from.
   * Everything to the left of the first untrusted address may be invented. If all addresses are trusted, the
   * leftmost one is the client.
   */
  function outermost(nodes: readonly (string | undefined)[] | undefined): string | undefined {
    if (nodes === undefined) return undefined;
    const first = Math.max(0, nodes.length - maxProxies - 1);
    for (let at = nodes.length - 1; at >= first; at -= 1) {
      const address = nodes[at];
      if (address === undefined) return undefined;
      if (at === 0 || !proxies.has(address)) return address;
    }
    return undefined;
  }

  return {
    /** Whether a trusted proxy opened the connection. */
    isProxy({ remoteAddress = "" }: Socket): boolean {
      const address = ipAddress(remoteAddress.split("%", 1)[0] ?? "");
      return address !== undefined && proxies.has(address);
    },

    /** The client that a trusted proxy names; `undefined` when the headers name none, or two. */
    clientOf(rawHeaders: readonly string[]): string | undefined {
      const forwarded = valuesOf(rawHeaders, "forwarded");
      const listed = valuesOf(rawHeaders, "x-forwarded-for");
      const byForwarded = forwarded === undefined ? undefined : outermost(forwardedNodes(forwarded));
      const byList = listed === undefined ? undefined : outermost(listedNodes(listed));
      if (forwarded === undefined) return byList;
      // A proxy sets one of the two headers and passes the other one on, which a client may have invented.
      return listed === undefined || byList === byForwarded ? byForwarded : undefined;
    },
  };
}

/** No installation has more proxies in a row, and a list of thousands must cost no time. */
const maxProxies = 32;

/** Several lines of one name are one list (RFC 9110 section 5.3). */
function valuesOf(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  return values.length === 0 ? undefined : values.join(",");
}

/**
 * The addresses in a value of `Forwarded` (RFC 7239), the client's first, in the form of `ipAddress`. An
 * element without an address (`unknown`, an obfuscated id, no `for`) is `undefined`. The result is
 * `undefined` when the value is malformed. `for=192.0.2.1:80` and `for=[2001:db8::1]` are accepted without
 * their quotes, since proxies write them so.
 */
function forwardedNodes(value: string): readonly (string | undefined)[] | undefined {
  const nodes: (string | undefined)[] = [];
  let node: string | undefined;
  let isEmpty = true;
  for (const pair = pairPattern(); ; ) {
    const match = pair.exec(value);
    if (match === null) return undefined;
    const [, name, bare, quoted, end] = match;
    if (name !== undefined) isEmpty = false;
    if (name?.toLowerCase() === "for") {
      // RFC 7239 section 4: an element has each parameter at most once.
      if (node !== undefined) return undefined;
      node = bare ?? quoted?.replace(/\\(.)/g, "$1") ?? "";
    }
    if (end === ";") continue;
    // RFC 9110 section 5.6.1: empty elements of a list do not count.
    if (!isEmpty) nodes.push(node === undefined ? undefined : nodeAddress(node));
    if (end === "") return nodes;
    node = undefined;
    isEmpty = true;
  }
}

/** The addresses in a value of `X-Forwarded-For`. No standard describes it; some proxies append ports. */
function listedNodes(value: string): readonly (string | undefined)[] {
  const nodes = value.split(",").map((node) => node.trim());
  return nodes.filter((node) => node !== "").map((node) => ipAddress(node) ?? nodeAddress(node));
}

/** Matches one pair, or nothing, and the sign behind it. Sticky: each match begins at the last one's end. */
function pairPattern(): RegExp {
  return /[\t ]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[\t ]*)?([;,]|$)/y;
}

/** RFC 7239 section 6: an address with or without a port; IPv6 in brackets. */
function nodeAddress(node: string): string | undefined {
  const match = nodePattern.exec(node);
  return match === null ? undefined : ipAddress(match[1] ?? match[2] ?? "");
}

const nodePattern = /^(?:([\d.]{7,15})|\[([\dA-Fa-f:.]{2,45})\])(?::(?:\d{1,5}|_[\w.-]+))?$/;
