import { randomUUID } from "node:crypto";
import type { RefusedHead } from "./refused-head.ts";

/** What the gateway reads of a request's header section. Everything else in it is ignored, what a front adds, too (W99). */
export interface RequestHead {
  /** Values in the order of the wire, one per header line: a second line is never dropped silently. */
  readonly authorization: readonly string[];
  readonly requestId: readonly string[];
  readonly acceptEncoding: string;
  readonly hostCount: number;
  /** The message has a body, or says that it will have (RFC 9112 section 6.3). */
  readonly hasBody: boolean;
  readonly hasUpgrade: boolean;
}

/**
 * Reads names and values as Node's parser gives them (`rawHeaders`), in one pass: `headers` keeps only the first of
 * two `Authorization` lines, and building it costs more than all the rest.
 */
export function requestHead(rawHeaders: readonly string[]): RequestHead {
  let authorization: string[] | undefined;
  let requestId: string[] | undefined;
  let acceptEncoding = "";
  let hostCount = 0;
  let hasBody = false;
  let hasUpgrade = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    // The length alone rules most names out, without lower-casing them.
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === "host") hostCount += 1;
        break;
      case 7:
        if (name.toLowerCase() === "upgrade") hasUpgrade = true;
        break;
      case 12:
        if (name.toLowerCase() === "x-request-id") requestId = appended(requestId, value);
        break;
      case 13:
        if (name.toLowerCase() === "authorization") authorization = appended(authorization, value);
        break;
      case 14:
        if (name.toLowerCase() === "content-length" && !/^0*$/.test(value)) hasBody = true;
        break;
      case 15:
        if (name.toLowerCase() === "accept-encoding")
          acceptEncoding += acceptEncoding === "" ? value : `,${value}`;
        break;
      case 17:
        if (name.toLowerCase() === "transfer-encoding") hasBody = true;
        break;
    }
  }
  return {
    authorization: authorization ?? none,
    requestId: requestId ?? none,
    acceptEncoding,
    hostCount,
    hasBody,
    hasUpgrade,
  };
}

const none: readonly string[] = [];

/** A copy for each line would cost the square of their number. */
function appended(values: string[] | undefined, value: string): string[] {
  if (values === undefined) return [value];
  values.push(value);
  return values;
}

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
