import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cause } from "../../core/ground/cause-code.ts";
import type { ProgramId } from "../../core/ground/ids.ts";
import type { ObjectKey } from "../../core/ground/object-key.ts";
import type { LiveSnapshot } from "../known/live-snapshots.ts";
import type { KnownToken } from "../known/token-directory.ts";
import type { Connection } from "./connections.ts";
import type { Quota } from "./quota.ts";
import { type RequestHead, requestHead, requestIdOf } from "./request-head.ts";

/** The requested resource, as logs and metrics name it. */
export type Route = "list" | "detail" | "legacy" | "unknown";

/** One request with its response. Each check adds what it found out, for the headers and the log. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly requestId: string;
  /** Monotonic, ms. */
  readonly startedAtMs: number;
  /** Which request of its connection this is, from 1. */
  readonly nth: number;
  /** The connection ends with this response. */
  closes: boolean;
  route: Route;
  token: KnownToken | undefined;
  /** The well-formed id in the path of a request for a detail. */
  programId: ProgramId | undefined;
  quota: Quota | undefined;
  snapshot: LiveSnapshot | undefined;
  objectKey: ObjectKey | undefined;
  /** Whether the client prefers gzip; `undefined` when a check refused the request before. */
  acceptsGzip: boolean | undefined;
  /** The content coding of a 200. */
  encoding: "gzip" | "identity" | undefined;
  /** Why the answer is not a 200: for the log, never for the client. */
  cause: Cause | undefined;
}

/** Reads the header section, ignores the request's body, and then calls `handle`. */
export function beginExchange(
  begun: Pick<Exchange, "req" | "res" | "connection" | "startedAtMs" | "closes">,
  handle: (exchange: Exchange) => void,
): void {
  const { req, res, connection, startedAtMs, closes } = begun;
  const head = requestHead(req.rawHeaders);
  const exchange: Exchange = {
    req,
    res,
    connection,
    head,
    requestId: requestIdOf(head.requestId),
    startedAtMs,
    nth: connection.requests,
    // W7: the bytes after an ignored body may only look like a request. And after an upgrade that is not
    // accepted, Node's parser loses the rest of the packet.
    closes: closes || head.hasBody || head.hasUpgrade,
    route: "unknown",
    token: undefined,
    programId: undefined,
    quota: undefined,
    snapshot: undefined,
    objectKey: undefined,
    acceptsGzip: undefined,
    encoding: undefined,
    cause: undefined,
  };
  if (!head.hasBody) {
    handle(exchange);
    return;
  }
  connection.ignoring = exchange;
  ignoreBody(req, () => {
    // The body was malformed, and the request was answered for that.
    if (connection.ignoring === undefined) return;
    connection.ignoring = undefined;
    handle(exchange);
  });
}

/**
 * W7: reads and drops the request's body, for a while, then calls `done`, once. Closing a connection with
 * unread bytes in it resets it, which can destroy the answer.
 */
function ignoreBody(req: IncomingMessage, done: () => void): void {
  // A client that asks for permission first waits for our answer before it sends anything.
  if (req.complete || /100-continue/i.test(req.headers.expect ?? "")) {
    done();
    return;
  }
  const over = new AbortController();
  const finish = (): void => over.abort();
  const timer = setTimeout(finish, maxWaitMs);
  over.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    done();
  });
  let seen = 0;
  req.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > maxIgnoredBytes) finish();
  });
  req.once("close", finish);
  req.once("end", finish);
}

const maxWaitMs = 500;
const maxIgnoredBytes = 1024 * 1024;
