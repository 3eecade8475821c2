import { randomUUID } from "node:crypto";
import type { RefusedHead } from "./refused-head.ts";
import { requestHead } from "./request-head.ts";

/** The single well-formed `X-Request-Id` that came with the request, else a fresh UUID (W40). */
export function requestIdOf(values: readonly string[]): string {
  const [value] = values;
  return values.length === 1 && value !== undefined && requestIdPattern.test(value) ? value : randomUUID();
}

/**
 * The same for a request that Node's parser refused. `isWhole` says that nothing came before its packet on its
 * connection. Only a packet that begins with the request can be trusted to show all its header lines; the rest of a
 * split one cannot, and gets a fresh id.
 */
export function refusedRequestId(head: RefusedHead, isWhole: boolean): string {
  const isTrusted = isWhole || head.requestLine !== undefined;
  return requestIdOf(isTrusted ? requestHead(head.rawHeaders).requestId : []);
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;
