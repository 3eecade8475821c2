import { randomUUID } from "node:crypto";

/** The single well-formed `X-Request-Id` that came with the request, else a fresh UUID (specification, Limits 3). */
export function requestIdOf(values: readonly string[]): string {
  const [value] = values;
  return values.length === 1 && value !== undefined && requestIdPattern.test(value) ? value : randomUUID();
}

/**
 * The same for a request that Node's parser refused, from the bytes of the packet in which it gave up. `isWhole`
 * says that nothing came before this packet on its connection. Only a packet that begins with the request can be
 * trusted to show all its header lines; the rest of a split one cannot, and gets a fresh id.
 */
export function refusedRequestId(packet: Uint8Array | undefined, isWhole: boolean): string {
  if (packet === undefined) return randomUUID();
  const text = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength).toString("latin1");
  if (!isWhole && !requestLinePattern.test(text)) return randomUUID();
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  const values = [...head.matchAll(requestIdLinePattern)].map((match) => match[1] ?? "");
  return requestIdOf(values);
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;
const requestLinePattern = /^[^\s:]+ \S+ HTTP\/\d/;
const requestIdLinePattern = /^x-request-id:[ \t]*(.*?)[ \t]*\r?$/gim;
