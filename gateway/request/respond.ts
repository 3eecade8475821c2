import type { Manifest, ResponseEntry } from "../../core/documents/manifest.ts";
import { type Cause, causeOf } from "../../core/ground/cause-code.ts";
import { isSnapshotId, type SnapshotId } from "../../core/ground/ids.ts";
import type { BodyCache, BodyForm } from "../bodies/body-cache.ts";
import { type BodyOpener, written } from "../bodies/body-stream.ts";
import type { Asker, FairShares } from "../bodies/fair-shares.ts";
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

export interface ResponderOptions {
  readonly open: BodyOpener;
  readonly reads: FairShares;
  readonly bodies: Pick<BodyCache, "sending">;
  readonly windowSeconds: number;
  /** Header lines of every response of the legacy resource. */
  readonly legacyHeaders: string;
  readonly send: AnswerSender;
  readonly limits: SendLimits;
  readonly observe: (exchange: Exchange, outcome: Outcome) => void;
}

/** Writes responses, and calls the observer once for each when it is over. */
export class Responder {
  readonly #options: ResponderOptions;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  refusal(exchange: Exchange, { code, cause, headers, closes }: Refusal): void {
    exchange.cause = cause;
    if (closes) exchange.closes = true;
    this.#sendReady(exchange, errorStatus(code), errorEnvelope(code, exchange.requestId), headers);
  }

  body(exchange: Exchange, form: BodyForm): void {
    const { objectKey, bytes, isGzip } = form;
    exchange.objectKey = objectKey;
    exchange.encoding = isGzip ? "gzip" : "identity";
    this.#sendReady(exchange, 200, bytes, isGzip ? gzipHeaders : identityHeaders, form);
  }

  /** Sends a body that is not in memory. Rejects, nothing sent, when the store does not begin it. */
  async stream(exchange: Exchange, asker: Asker, entry: ResponseEntry): Promise<void> {
    const { open, reads, observe } = this.#options;
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
    try {
      await reads.during(asker, `Reading ${entry.key}`, signal, async () => {
        const forEachChunk = await open(entry, signal);
        await forEachChunk(async (chunk) => {
          // A local file is read on after the client has left. A response begun now would never be over.
          signal.throwIfAborted();
          if (!res.headersSent) this.#beginStream(exchange, entry.size, over);
          bytes += chunk.length;
          await written(res, chunk, signal);
        });
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
  }

  /** Sends the head. After that, an error can only cut the connection. */
  #beginStream(exchange: Exchange, size: number, over: (isCut: boolean) => void): void {
    const { res, closes } = exchange;
    const headers = headerList(this.#headersOf(exchange, 200, identityHeaders, size));
    if (closes) headers.push("Connection", "close");
    res.writeHead(200, headers);
    watchSending(res, this.#options.limits, over);
  }

  #sendReady(exchange: Exchange, status: number, body: Buffer | string, kind: string, form?: BodyForm): void {
    const { send, bodies, limits, observe } = this.#options;
    const { res, req, closes } = exchange;
    if (res.destroyed) {
      observe(exchange, { status, bytes: 0, isCut: true });
      return;
    }
    const bytes = body.length;
    const headers = this.#headersOf(exchange, status, kind, bytes);
    const isTaken = send(res, { status, headers, body, closes });
    const sentBytes = req.method === "HEAD" ? 0 : bytes;
    if (isTaken) {
      observe(exchange, { status, bytes: sentBytes, isCut: false });
      return;
    }
    const sent = form && bodies.sending(form);
    watchSending(res, limits, (isCut) => {
      sent?.();
      observe(exchange, { status, bytes: sentBytes, isCut });
    });
  }

  /**
   * All header lines (W41) but `Date` and `Connection`, each ended by CR LF. They are text because most of it
   * is known before the request. The only text from the client is its request id, of `[A-Za-z0-9._-]`.
   * `kind`: see `kindHeaders`.
   */
  #headersOf(exchange: Exchange, status: number, kind: string, bytes: number): string {
    const { windowSeconds, legacyHeaders } = this.#options;
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
    return route === "legacy" ? lines + legacyHeaders : lines;
  }
}

const clientLeft: Cause = { code: "client_left", text: "the client left before the first byte" };
const identityHeaders = kindHeaders("Vary: Accept-Encoding\r\n");
const gzipHeaders = kindHeaders("Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n");

/**
 * The header lines of responses from a snapshot (W45). `recordedAt`: its last confirmation in
 * `runs/confirmed.json`. The reading from which it was built confirms it, too, unless it has `contentAt`:
 * then it was built from no reading of all programs.
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
 * W180: the ids of programs whose detail changed after the snapshot `since`. A detail's key names the
 * snapshot in which it last changed; places in the line count, since two ids of one second do not sort. `*`:
 * `since` is not in the line, or the value is too long.
 */
export function changedSince(manifest: Manifest, since: SnapshotId): string {
  const { places, answers } = lineOf(manifest);
  const place = places.get(since);
  if (place === undefined) return since === manifest.snapshotId ? "" : "*";
  const known = answers.get(since);
  if (known !== undefined) return known;
  if (answers.size >= maxAnswers) answers.clear();
  const value = changedBefore(manifest, places, place);
  answers.set(since, value);
  return value;
}

function changedBefore({ programs }: Manifest, places: Line["places"], place: number): string {
  if (place === 0) return "";
  let value = "";
  for (const id of programs.idsIn((folder) => (places.get(folder) ?? place) < place)) {
    value += value === "" ? id : `,${id}`;
    if (value.length > maxChangedBytes) return "*";
  }
  return value;
}

interface Line {
  /** The places of a snapshot and those before it, the live one at 0; empty without a line of them. */
  readonly places: ReadonlyMap<SnapshotId, number>;
  /** What was answered. 100,000 programs take over a millisecond, and partners ask again and again. */
  readonly answers: Map<SnapshotId, string>;
}

function lineOf(manifest: Manifest): Line {
  const known = lines.get(manifest);
  if (known !== undefined) return known;
  const { snapshotId, ancestors } = manifest;
  const places = new Map(ancestors && [snapshotId, ...ancestors].map((id, place) => [id, place]));
  const line: Line = { places, answers: new Map() };
  lines.set(manifest, line);
  return line;
}

/** Kept for each manifest that was asked: making the map costs as much as reading a thousand programs. */
const lines = new WeakMap<Manifest, Line>();

/** Partners ask with few different snapshots, and an answer has up to 2 KiB. */
const maxAnswers = 32;

/** A client's buffer for headers may be small. */
const maxChangedBytes = 2048;

/** W47: `Deprecation` (RFC 9745), the successor (RFC 8288, 5829) and, if fixed, `Sunset` (RFC 8594). */
export function legacyHeaders(deprecatedAt: Date | undefined, sunset: Date | undefined): string {
  let lines = 'Link: </v1/programs>; rel="successor-version"\r\n';
  if (deprecatedAt !== undefined) lines += `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}\r\n`;
  if (sunset !== undefined) lines += `Sunset: ${sunset.toUTCString()}\r\n`;
  return lines;
}
