import type { Socket } from "node:net";
import { ipAddress } from "../core/ip-address.ts";
import type { TrustedProxies } from "../core/trusted-proxies.ts";
import { forwardedNodes, listedNodes } from "./forwarded-nodes.ts";

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
