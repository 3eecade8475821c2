import type { Manifest } from "../core/manifest.ts";

// Header lines that many responses share, made once. Each ends with CR LF.

/** The header lines of one kind of response: those of every response (W6, W41, W42), and `extra` ones. */
export function kindHeaders(extra: string): string {
  return `Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n${extra}`;
}

/** Header lines of the responses that come from a snapshot (W45), and when it was last confirmed, if that is known (W49). */
export function snapshotHeaders(
  { snapshotId, generatedAt }: Pick<Manifest, "snapshotId" | "generatedAt">,
  confirmedAt: string | null,
): string {
  const lines = `Snapshot-Id: ${snapshotId}\r\nSnapshot-Generated-At: ${generatedAt}\r\n`;
  return confirmedAt === null ? lines : `${lines}Snapshot-Confirmed-At: ${confirmedAt}\r\n`;
}

/** The header lines of a limit of requests per window (W44), up to where the requests that are left stand. */
export function limitHeaders(limit: number, windowSeconds: number): string {
  return `RateLimit-Policy: "default";q=${limit};w=${windowSeconds}\r\nRateLimit: "default";r=`;
}

/** W47: `Deprecation` (RFC 9745), the successor (RFC 8288, RFC 5829) and, when one is fixed, `Sunset` (RFC 8594). */
export function legacyHeaders(deprecatedAt: Date | undefined, sunset: Date | undefined): string {
  let lines = 'Link: </v1/programs>; rel="successor-version"\r\n';
  if (deprecatedAt !== undefined) lines += `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}\r\n`;
  if (sunset !== undefined) lines += `Sunset: ${sunset.toUTCString()}\r\n`;
  return lines;
}
