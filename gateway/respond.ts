import { type Cause, causeOf } from "../core/cause-code.ts";
import type { ResponseEntry } from "../core/manifest.ts";
import type { BodyForm } from "./body-cache.ts";
import { type BodyOpener, written } from "./body-stream.ts";
import type { Exchange } from "./exchange.ts";
import { errorEnvelope, errorStatus, type Refusal } from "./refusal.ts";
import { type HeaderPolicy, headerList, kindHeaders, responseHeaders } from "./response-headers.ts";
import type { AnswerSender } from "./send-answer.ts";
import { type SendLimits, watchSending } from "./watch-sending.ts";

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

export interface ResponderOptions {
  readonly open: BodyOpener;
  readonly headers: HeaderPolicy;
  readonly send: AnswerSender;
  readonly limits: SendLimits;
  readonly observe: (exchange: Exchange, outcome: Outcome) => void;
}

export function createResponder(options: ResponderOptions): Responder {
  const { open, headers: policy, send, limits, observe } = options;

  function sendReady(exchange: Exchange, status: number, body: Buffer | string, kind: string): void {
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
        const facts = { status: 200, contentLength: entry.size, kind: identityHeaders };
        const headers = headerList(responseHeaders(exchange, facts, policy));
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
