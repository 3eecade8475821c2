import { pipeline, type Writable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { type Cause, causeOf } from "../core/cause-code.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { CachedBody } from "./body-cache.ts";
import { createBodyStreams } from "./body-stream.ts";
import { errorEnvelope, errorStatus } from "./error-envelope.ts";
import type { Exchange } from "./exchange.ts";
import { kindHeaders } from "./header-lines.ts";
import type { Refusal } from "./refusal.ts";
import { type HeaderPolicy, headerList, responseHeaders } from "./response-headers.ts";
import type { WholeSender } from "./send-whole.ts";
import type { StoreReader } from "./store-reader.ts";
import { type SendLimits, watchSending } from "./watch-sending.ts";

/** How a response ended. */
export interface Outcome {
  readonly status: number;
  /** Bytes of the body handed to the connection. */
  readonly bytes: number;
  /** The connection ended before the response did. */
  readonly isCut: boolean;
}

/** Writes responses, and tells the observer of each exactly once, when it is over. */
export interface Responder {
  refusal(exchange: Exchange, refusal: Refusal): void;
  /** In its gzip form if that is wanted and worth it. */
  body(exchange: Exchange, body: CachedBody, gzip: boolean): void;
  /** A body too large to be held. Rejects, with nothing sent yet, when the store does not deliver its beginning. */
  stream(exchange: Exchange, entry: ResponseEntry, gzip: boolean): Promise<void>;
}

export interface ResponderOptions {
  readonly store: StoreReader;
  readonly headers: HeaderPolicy;
  readonly send: WholeSender;
  readonly limits: SendLimits;
  readonly observe: (exchange: Exchange, outcome: Outcome) => void;
}

export function createResponder(options: ResponderOptions): Responder {
  const { store, headers: policy, send, limits, observe } = options;
  const streams = createBodyStreams(store);

  function sendWhole(exchange: Exchange, status: number, body: Buffer | string, kind: string): void {
    const { res, req, closes } = exchange;
    if (res.destroyed) {
      observe(exchange, { status, bytes: 0, isCut: true });
      return;
    }
    const bytes = body.length;
    const headers = responseHeaders(exchange, { status, contentLength: bytes, kind }, policy);
    const isTaken = send(res, { status, headers, body, closes });
    const sentBytes = req.method === "HEAD" ? 0 : bytes;
    if (isTaken) observe(exchange, { status, bytes: sentBytes, isCut: false });
    else watchSending(res, limits, (isCut) => observe(exchange, { status, bytes: sentBytes, isCut }));
  }

  return {
    refusal(exchange, { code, cause, headers, closes }) {
      exchange.cause = cause;
      if (closes) exchange.closes = true;
      sendWhole(exchange, errorStatus(code), errorEnvelope(code, exchange.requestId), headers);
    },

    body(exchange, body, gzip) {
      exchange.objectKey = body.objectKey;
      if (gzip && body.gzip) sendWhole(exchange, 200, body.gzip, gzipHeaders);
      else sendWhole(exchange, 200, body.identity, identityHeaders);
    },

    async stream(exchange, entry, gzip) {
      const { res } = exchange;
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

      /** The status is out: from here on, cutting the connection is all that is left to say. */
      function begin(): Writable {
        const contentLength = gzip ? undefined : entry.size;
        const kind = gzip ? gzipHeaders : identityHeaders;
        const headers = headerList(responseHeaders(exchange, { status: 200, contentLength, kind }, policy));
        if (exchange.closes) headers.push("Connection", "close");
        res.writeHead(200, headers);
        watchSending(res, limits, over);
        if (!gzip) return res;
        // Made for each request anew, so speed counts more than the last per cent.
        const packer = createGzip({ level: constants.Z_BEST_SPEED });
        packer.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        pipeline(packer, res, () => {});
        return packer;
      }

      let sink: Writable | undefined;
      try {
        const forEachChunk = await streams.open(entry, signal);
        await forEachChunk(async (chunk) => {
          sink ??= begin();
          if (!gzip) bytes += chunk.length;
          await written(sink, chunk, signal);
        });
        sink?.end();
      } catch (error) {
        if (sink === undefined) {
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

/** Resolves when the sink is done with the chunk, whose memory may be used again then. */
function written(sink: Writable, chunk: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    sink.write(chunk, (error) => {
      signal.removeEventListener("abort", leave);
      if (error) reject(error);
      else resolve();
    });
  });
}

const clientLeft: Cause = { code: "client_left", text: "the client left before the first byte" };
const identityHeaders = kindHeaders("Vary: Accept-Encoding\r\n");
const gzipHeaders = kindHeaders("Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n");
