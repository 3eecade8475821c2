import { ipAddress } from "../core/ip-address.ts";

/**
 * The addresses in a value of `Forwarded` (RFC 7239), the client's first, in the form of `ipAddress`. `undefined` stands for
 * an element that names none (`unknown`, an obfuscated id, no `for`), and in place of the list when the value is malformed.
 * `for=192.0.2.1:80` and `for=[2001:db8::1]` without their quotes are taken: proxies write them.
 */
export function forwardedNodes(value: string): readonly (string | undefined)[] | undefined {
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
export function listedNodes(value: string): readonly (string | undefined)[] {
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
