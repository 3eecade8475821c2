import type { Socket } from "node:net";
import { ipAddress } from "../core/ip-address.ts";
import type { TrustedProxies } from "../core/trusted-proxies.ts";

/** Whose address the log names, when the operator asks for it (W98). */
export interface ClientAddresses {
  /** Whether a trusted proxy is at the other end. */
  isProxy(socket: Socket): boolean;
  /**
   * The client that a trusted proxy's request is passed on for, as a parsed address and nothing else; `undefined` when the
   * header section does not say, or says it in two ways.
   */
  clientOf(rawHeaders: readonly string[]): string | undefined;
}

export function createClientAddresses(proxies: TrustedProxies): ClientAddresses {
  /**
   * W98: from the right, since each proxy appends whom it got the request from. Behind the first address that is not a
   * trusted proxy's stands what a stranger has sent. Where all are trusted, the client is one of them.
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
    isProxy({ remoteAddress = "" }) {
      const address = ipAddress(remoteAddress.split("%", 1)[0] ?? "");
      return address !== undefined && proxies.has(address);
    },

    clientOf(rawHeaders) {
      let forwarded: string | undefined;
      let listed: string | undefined;
      for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
        const name = rawHeaders[at]?.toLowerCase();
        // Several lines of one name are one list (RFC 9110 section 5.3).
        if (name === "forwarded") forwarded = appended(forwarded, rawHeaders[at + 1]);
        else if (name === "x-forwarded-for") listed = appended(listed, rawHeaders[at + 1]);
      }
      const byForwarded = forwarded === undefined ? undefined : outermost(forwardedNodes(forwarded));
      const byList = listed === undefined ? undefined : outermost(listedNodes(listed));
      if (forwarded === undefined) return byList;
      // A proxy sets one of the two and lets the other pass: whatever a stranger puts there must not count.
      return listed === undefined || byList === byForwarded ? byForwarded : undefined;
    },
  };
}

/** Nobody has more of them in a row; a client's list of thousands is not looked through. */
const maxProxies = 32;

function appended(values: string | undefined, value = ""): string {
  return values === undefined ? value : `${values},${value}`;
}

/**
 * The addresses in a value of `Forwarded` (RFC 7239), the client's first, in the form of `ipAddress`. `undefined` stands for
 * an element that names none (`unknown`, an obfuscated id, no `for`), and in place of the list when the value is malformed.
 * `for=192.0.2.1:80` and `for=[2001:db8::1]` without their quotes are taken: proxies write them.
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
      // Section 4: each parameter once per element.
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

/** The same of a value of `X-Forwarded-For`, which no standard describes: addresses, some with ports. */
function listedNodes(value: string): readonly (string | undefined)[] {
  const nodes = value.split(",").map((node) => node.trim());
  return nodes.filter((node) => node !== "").map((node) => ipAddress(node) ?? nodeAddress(node));
}

/** One pair or nothing, up to the sign behind it. Sticky: each begins where the one before has ended. */
function pairPattern(): RegExp {
  return /[\t ]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[\t ]*)?([;,]|$)/y;
}

/** Section 6: an address with or without a port; IPv6 in brackets. */
function nodeAddress(node: string): string | undefined {
  const match = nodePattern.exec(node);
  return match === null ? undefined : ipAddress(match[1] ?? match[2] ?? "");
}

const nodePattern = /^(?:([\d.]{7,15})|\[([\dA-Fa-f:.]{2,45})\])(?::(?:\d{1,5}|_[\w.-]+))?$/;
