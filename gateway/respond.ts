import { pipeline } from "node:stream/promises";
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
      let bytes = 0;
      const over = (isCut: boolean): void => observe(exchange, { status: 200, bytes, isCut });
      const abandoned = new AbortController();
      res.once("close", () => abandoned.abort());
      const opened = res.destroyed ? undefined : streams.open(entry, abandoned.signal);
      const body = await opened?.catch((error: unknown) => {
        if (!abandoned.signal.aborted) throw error;
      });
      if (body === undefined || res.destroyed) {
        exchange.cause = clientLeft;
        over(true);
        return;
      }

      if (body.errored !== null) throw body.errored;
      body.once("error", (error) => {
        if (!abandoned.signal.aborted) exchange.cause = causeOf(error);
      });
      const contentLength = gzip ? undefined : entry.size;
      const kind = gzip ? gzipHeaders : identityHeaders;
      const headers = headerList(responseHeaders(exchange, { status: 200, contentLength, kind }, policy));
      if (exchange.closes) headers.push("Connection", "close");
      res.writeHead(200, headers);
      watchSending(res, limits, over);
      try {
        // Made for each request anew, so speed counts more than the last per cent.
        const compressed = gzip ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
        const sent = compressed[0] ?? body;
        sent.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        await pipeline([body, ...compressed, res]);
      } catch {
        // The status is out: cutting the connection, which the pipeline did, is all that is left to say.
      }
    },
  };
}

const clientLeft: Cause = { code: "client_left", text: "the client left before the first byte" };
const identityHeaders = kindHeaders("Vary: Accept-Encoding\r\n");
const gzipHeaders = kindHeaders("Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n");
