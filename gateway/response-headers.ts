import { isSnapshotId, type SnapshotId } from "../core/ids.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Exchange } from "./exchange.ts";

/** The facts for the header lines that are not in the exchange. */
export interface ResponseFacts {
  readonly status: number;
  /** `undefined` when the length is not known yet and the body is sent in chunks. */
  readonly contentLength: number | undefined;
  /** Lines that begin with those of `kindHeaders`. */
  readonly kind: string;
}

/** The parts of the headers that are the same for every response. */
export interface HeaderPolicy {
  readonly windowSeconds: number;
  /** Header lines of every response of the legacy resource. */
  readonly legacy: string;
}

/**
 * All header lines (W43) but `Date` and `Connection`, each ended by CR LF. They are text because most of it is known before
 * the request. The only text from the client is its request id, of `[A-Za-z0-9._-]`.
 */
export function responseHeaders(exchange: Exchange, facts: ResponseFacts, policy: HeaderPolicy): string {
  const { requestId, quota, snapshot, route } = exchange;
  let lines = `X-Request-Id: ${requestId}\r\n${facts.kind}`;
  if (facts.contentLength !== undefined) lines += `Content-Length: ${facts.contentLength}\r\n`;
  if (quota !== undefined) {
    lines += `${limitHeaders(quota.limit, policy.windowSeconds)}${quota.remaining};t=${quota.resetSeconds}\r\n`;
  }
  // Only a response that was read from the snapshot, or a 404 for a missing program, names the snapshot.
  if (snapshot !== undefined && (facts.status === 200 || facts.status === 404)) lines += snapshot.headers;
  if (snapshot !== undefined && facts.status === 200 && route === "list") {
    const [since, ...more] = exchange.head.snapshotSince;
    // W180: an ill-formed value is ignored, and so are two.
    if (since !== undefined && more.length === 0 && isSnapshotId(since)) {
      lines += `Snapshot-Changed: ${changedSince(snapshot.manifest, since)}\r\n`;
    }
  }
  return route === "legacy" ? lines + policy.legacy : lines;
}

/** The lines as name, value, name, value, ..., as Node's `writeHead` takes them. */
export function headerList(lines: string): string[] {
  return lines
    .split("\r\n")
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/** The header lines of one kind of response, made once: those of every response (W6, W41, W42), then `extra`. */
export function kindHeaders(extra: string): string {
  return `Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n${extra}`;
}

/**
 * The header lines of responses from a snapshot (W45), with the time of its last confirmation if that is known (W49). `recordedAt`
 * is what `runs/confirmed.json` says. The reading from which a snapshot was built confirms it, too, so that a tenant that is published
 * again and again never lacks the header. A snapshot with `contentAt` was built from no reading of all programs.
 */
export function snapshotHeaders(
  { snapshotId, generatedAt, contentAt }: Pick<Manifest, "snapshotId" | "generatedAt" | "contentAt">,
  recordedAt: string | null,
): string {
  const isRecordLater = recordedAt !== null && Date.parse(recordedAt) >= Date.parse(generatedAt);
  const confirmedAt = contentAt !== undefined || isRecordLater ? recordedAt : generatedAt;
  const lines = `Snapshot-Id: ${snapshotId}\r\nSnapshot-Generated-At: ${generatedAt}\r\n`;
  return confirmedAt === null ? lines : `${lines}Snapshot-Confirmed-At: ${confirmedAt}\r\n`;
}

/**
 * W180: the value of `Snapshot-Changed` on a list of this snapshot: the programs in it whose detail changed after the snapshot
 * `since`, comma-separated. A detail's key names the snapshot in which the detail last changed. Positions in the line count and not
 * the ids' order, since two ids of one second do not sort. `*`: `since` is not known to be in the line, or the value would be too
 * long.
 */
export function changedSince(manifest: Manifest, since: SnapshotId): string {
  const line = lineOf(manifest);
  const place = line.get(since);
  if (place === undefined) return since === manifest.snapshotId ? "" : "*";
  if (place === 0) return "";
  let value = "";
  for (const id of manifest.programs.idsIn((folder) => (line.get(folder) ?? place) < place)) {
    value += value === "" ? id : `,${id}`;
    if (value.length > maxChangedBytes) return "*";
  }
  return value;
}

/** The places of a snapshot and those before it, the live one at 0; empty for a manifest that does not name its line. */
function lineOf(manifest: Manifest): ReadonlyMap<SnapshotId, number> {
  const known = lines.get(manifest);
  if (known !== undefined) return known;
  const { snapshotId, ancestors } = manifest;
  const line = new Map(ancestors && [snapshotId, ...ancestors].map((id, place) => [id, place]));
  lines.set(manifest, line);
  return line;
}

/** Kept for each manifest that was asked for it, since making the map costs as much as looking through a thousand programs. */
const lines = new WeakMap<Manifest, ReadonlyMap<SnapshotId, number>>();

/** A client's buffer for headers may be small. */
const maxChangedBytes = 2048;

/** The header lines about the quota (W44), up to the place where the number of remaining requests follows. */
function limitHeaders(limit: number, windowSeconds: number): string {
  return `RateLimit-Policy: "default";q=${limit};w=${windowSeconds}\r\nRateLimit: "default";r=`;
}

/** W47: `Deprecation` (RFC 9745), the successor (RFC 8288, RFC 5829) and, when one is fixed, `Sunset` (RFC 8594). */
export function legacyHeaders(deprecatedAt: Date | undefined, sunset: Date | undefined): string {
  let lines = 'Link: </v1/programs>; rel="successor-version"\r\n';
  if (deprecatedAt !== undefined) lines += `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}\r\n`;
  if (sunset !== undefined) lines += `Sunset: ${sunset.toUTCString()}\r\n`;
  return lines;
}
