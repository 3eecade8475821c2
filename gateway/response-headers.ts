import type { Exchange } from "./exchange.ts";

/** What every response says of itself, beside what its exchange knows. */
export interface ResponseFacts {
  readonly status: number;
  /** `undefined`: sent in chunks, since the length is not known yet. */
  readonly contentLength: number | undefined;
  /** Header lines that only this kind of response has. */
  readonly extra: string;
}

/** The parts of the headers that are the same for every response. */
export interface HeaderPolicy {
  readonly windowSeconds: number;
  /** Header lines of every response of the legacy resource. */
  readonly legacy: string;
}

/**
 * The header lines but for `Date` and `Connection`, each ended by CR LF. Text, since most of it is known beforehand;
 * nothing of a client gets into it but a request id of `[A-Za-z0-9._-]`.
 */
export function responseHeaders(exchange: Exchange, facts: ResponseFacts, policy: HeaderPolicy): string {
  const { requestId, quota, snapshot, route } = exchange;
  let lines = `X-Request-Id: ${requestId}\r\n${alwaysSent}`;
  if (facts.contentLength !== undefined) lines += `Content-Length: ${facts.contentLength}\r\n`;
  lines += facts.extra;
  if (quota !== undefined) {
    const { limit, remaining, resetSeconds } = quota;
    lines += `RateLimit-Policy: "default";q=${limit};w=${policy.windowSeconds}\r\nRateLimit: "default";r=${remaining};t=${resetSeconds}\r\n`;
  }
  // Only what was read from the snapshot, or not found in it, is told to come from it.
  if (snapshot !== undefined && (facts.status === 200 || facts.status === 404)) {
    const { snapshotId, generatedAt } = snapshot.manifest;
    lines += `Snapshot-Id: ${snapshotId}\r\nSnapshot-Generated-At: ${generatedAt}\r\n`;
  }
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

/** `Deprecation` (RFC 9745), the successor (RFC 8288, RFC 5829) and, when one is fixed, `Sunset` (RFC 8594). */
export function legacyHeaders(deprecatedAt: Date | undefined, sunset: Date | undefined): string {
  let lines = 'Link: </v1/programs>; rel="successor-version"\r\n';
  if (deprecatedAt !== undefined) lines += `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}\r\n`;
  if (sunset !== undefined) lines += `Sunset: ${sunset.toUTCString()}\r\n`;
  return lines;
}

const alwaysSent = "Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n";
