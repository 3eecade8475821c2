import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connection } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { ignoreBody } from "./ignore-body.ts";
import { requestHead } from "./request-head.ts";
import { requestIdOf } from "./request-id.ts";

export interface ExchangeStart {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  /** Monotonic, ms. */
  readonly nowMs: number;
  /** This response is to be the connection's last whatever the request says. */
  readonly closes: boolean;
}

/** Reads the header section and hands the exchange on, after the request's body, if it has one, is out of the way. */
export function beginExchange(start: ExchangeStart, handle: (exchange: Exchange) => void): void {
  const { req, res, connection, nowMs } = start;
  const head = requestHead(req.rawHeaders);
  const exchange: Exchange = {
    req,
    res,
    connection,
    head,
    requestId: requestIdOf(head.requestId),
    startedAtMs: nowMs,
    nth: connection.requests,
    // W7: what follows a body that nobody wanted may not be the request that it looks like; and behind an upgrade that
    // is not taken up, Node's parser loses the rest of the packet.
    closes: start.closes || head.hasBody || head.hasUpgrade,
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
    // Answered meanwhile: the body was malformed.
    if (connection.ignoring === undefined) return;
    connection.ignoring = undefined;
    handle(exchange);
  });
}
