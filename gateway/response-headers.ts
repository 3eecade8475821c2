import type { Exchange } from "./exchange.ts";
import { limitHeaders } from "./header-lines.ts";

/** What every response says of itself, beside what its exchange knows. */
export interface ResponseFacts {
  readonly status: number;
  /** `undefined`: sent in chunks, since the length is not known yet. */
  readonly contentLength: number | undefined;
  /** Of `kindHeaders`, or with further lines behind them. */
  readonly kind: string;
}

/** The parts of the headers that are the same for every response. */
export interface HeaderPolicy {
  readonly windowSeconds: number;
  /** Header lines of every response of the legacy resource. */
  readonly legacy: string;
}

/**
 * All header lines (W43) but `Date` and `Connection`, each ended by CR LF. Text, since most of it is known beforehand;
 * nothing of a client gets into it but a request id of `[A-Za-z0-9._-]`.
 */
export function responseHeaders(exchange: Exchange, facts: ResponseFacts, policy: HeaderPolicy): string {
  const { requestId, quota, snapshot, route } = exchange;
  let lines = `X-Request-Id: ${requestId}\r\n${facts.kind}`;
  if (facts.contentLength !== undefined) lines += `Content-Length: ${facts.contentLength}\r\n`;
  if (quota !== undefined) {
    lines += `${limitHeaders(quota.limit, policy.windowSeconds)}${quota.remaining};t=${quota.resetSeconds}\r\n`;
  }
  // Only what was read from the snapshot, or not found in it, names the snapshot.
  if (snapshot !== undefined && (facts.status === 200 || facts.status === 404)) lines += snapshot.headers;
  return route === "legacy" ? lines + policy.legacy : lines;
}

/** The same as name, value, name, value...: what Node's `writeHead` takes. */
export function headerList(lines: string): string[] {
  return lines
    .split("\r\n")
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}
