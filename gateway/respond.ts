import { type Cause, causeOf } from "../core/cause-code.ts";
import { isSnapshotId, type SnapshotId } from "../core/ids.ts";
import type { Manifest, ResponseEntry } from "../core/manifest.ts";
import type { BodyForm } from "./body-cache.ts";
import { type BodyOpener, written } from "./body-stream.ts";
import type { Exchange } from "./exchange.ts";
import { errorEnvelope, errorStatus, kindHeaders, type Refusal } from "./refusal.ts";
import { type AnswerSender, headerList, type SendLimits, watchSending } from "./send-answer.ts";

/** How a response ended. */
export interface Outcome {
  readonly status: number;
  /** Bytes of the body that were given to the connection. */
  readonly bytes: number;
  /** The connection ended before the response did. */
  readonly isCut: boolean;
}

/** Writes responses, and calls the observer once for each when it is over. */
export interface Responder {
  refusal(exchange: Exchange, refusal: Refusal): void;
  body(exchange: Exchange, body: BodyForm): void;
  /** Sends a body that is not in memory. Rejects when the store does not deliver its beginning; nothing was sent then. */
  stream(exchange: Exchange, entry: ResponseEntry): Promise<void>;
}

export function createResponder(options: {
  readonly open: BodyOpener;
  readonly windowSeconds: number;
  /** Header lines of every response of the legacy resource. */
  readonly legacyHeaders: string;
  readonly send: AnswerSender;
  readonly limits: SendLimits;
  readonly observe: (exchange: Exchange, outcome: Outcome) => void;
}): Responder {
  const { open, windowSeconds, send, limits, observe } = options;

  /**
   * All header lines (W41) but `Date` and `Connection`, each ended by CR LF. They are text because most of it is known before
   * the request. The only text from the client is its request id, of `[A-Za-z0-9._-]`. `kind`: see `kindHeaders`.
   */
  function headersOf(exchange: Exchange, status: number, kind: string, bytes: number): string {
    const { requestId, quota, snapshot, route } = exchange;
    let lines = `X-Request-Id: ${requestId}\r\n${kind}Content-Length: ${bytes}\r\n`;
    if (quota !== undefined) {
      // W44.
      lines += `RateLimit-Policy: "default";q=${quota.limit};w=${windowSeconds}\r\n`;
      lines += `RateLimit: "default";r=${quota.remaining};t=${quota.resetSeconds}\r\n`;
    }
    // Only a response that was read from the snapshot, or a 404 for a missing program, names the snapshot.
    if (snapshot !== undefined && (status === 200 || status === 404)) lines += snapshot.headers;
    if (snapshot !== undefined && status === 200 && route === "list") {
      const [since, ...more] = exchange.head.snapshotSince;
      // W180: an ill-formed value is ignored, and so are two.
      if (since !== undefined && more.length === 0 && isSnapshotId(since)) {
        lines += `Snapshot-Changed: ${changedSince(snapshot.manifest, since)}\r\n`;
      }
    }
    return route === "legacy" ? lines + options.legacyHeaders : lines;
  }

  function sendReady(exchange: Exchange, status: number, body: Buffer | string, kind: string): void {
    const { res, req, closes } = exchange;
    if (res.destroyed) {
      observe(exchange, { status, bytes: 0, isCut: true });
      return;
    }
    const bytes = body.length;
    const headers = headersOf(exchange, status, kind, bytes);
    const isTaken = send(res, { status, headers, body, closes });
    const sentBytes = req.method === "HEAD" ? 0 : bytes;
    if (isTaken) observe(exchange, { status, bytes: sentBytes, isCut: false });
    else watchSending(res, limits, (isCut) => observe(exchange, { status, bytes: sentBytes, isCut }));
  }

  return {
    refusal(exchange, { code, cause, headers, closes }) {
      exchange.cause = cause;
      if (closes) exchange.closes = true;
      sendReady(exchange, errorStatus(code), errorEnvelope(code, exchange.requestId), headers);
    },

    body(exchange, { objectKey, bytes, isGzip }) {
      exchange.objectKey = objectKey;
      exchange.encoding = isGzip ? "gzip" : "identity";
      sendReady(exchange, 200, bytes, isGzip ? gzipHeaders : identityHeaders);
    },

    async stream(exchange, entry) {
      const { res } = exchange;
      exchange.encoding = "identity";
      const abandoned = new AbortController();
      const { signal } = abandoned;
      res.once("close", () => abandoned.abort());
      let bytes = 0;
      const over = (isCut: boolean): void => observe(exchange, { status: 200, bytes, isCut });
      const leave = (): void => {
        exchange.cause = clientLeft;
        over(true);
      };
      if (res.destroyed) return leave();

      /** Sends the head. After that, an error can only cut the connection. */
      function begin(): void {
        const headers = headerList(headersOf(exchange, 200, identityHeaders, entry.size));
        if (exchange.closes) headers.push("Connection", "close");
        res.writeHead(200, headers);
        watchSending(res, limits, over);
      }

      try {
        const forEachChunk = await open(entry, signal);
        await forEachChunk(async (chunk) => {
          // A local file is read on after the client has left. A response that began now would never be reported as over.
          signal.throwIfAborted();
          if (!res.headersSent) begin();
          bytes += chunk.length;
          await written(res, chunk, signal);
        });
        res.end();
      } catch (error) {
        if (!res.headersSent) {
          if (!signal.aborted) throw error;
          leave();
        } else if (!signal.aborted) {
          exchange.cause = causeOf(error);
          res.destroy();
        }
      }
    },
  };
}

const clientLeft: Cause = { code: "client_left", text: "the client left before the first byte" };
const identityHeaders = kindHeaders("Vary: Accept-Encoding\r\n");
const gzipHeaders = kindHeaders("Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n");

/**
 * The header lines of responses from a snapshot (W45). `recordedAt`: its last confirmation in `runs/confirmed.json`. The reading from
 * which it was built confirms it, too, unless it has `contentAt`: then it was built from no reading of all programs.
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
 * W180: the ids of programs whose detail changed after the snapshot `since`. A detail's key names the snapshot in which it last changed;
 * places in the line count, since two ids of one second do not sort. `*`: `since` is not in the line, or the value is too long.
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

/** W47: `Deprecation` (RFC 9745), the successor (RFC 8288, RFC 5829) and, when one is fixed, `Sunset` (RFC 8594). */
export function legacyHeaders(deprecatedAt: Date | undefined, sunset: Date | undefined): string {
  let lines = 'Link: </v1/programs>; rel="successor-version"\r\n';
  if (deprecatedAt !== undefined) lines += `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}\r\n`;
  if (sunset !== undefined) lines += `Sunset: ${sunset.toUTCString()}\r\n`;
  return lines;
}
