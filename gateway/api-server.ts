import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestHandler } from "express";
import type { Cause } from "../core/cause-code.ts";
import { createApp, messageClasses } from "./app.ts";
import { type Connection, type Connections, trackConnections } from "./connections.ts";
import { allowHalfOpen, stopAccepting } from "./node-internals.ts";
import { type ConnectionRefusal, refuseOnError } from "./refuse-connection.ts";
import { requestHead, requestIdOf } from "./request-head.ts";
import { originForm } from "./request-target.ts";

/** Bounds on what clients may take (W60, W64). */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Until a request's header section must be complete. */
  readonly headersTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
}

export interface ApiServerOptions {
  readonly limits: ConnectionLimits;
  /** Header lines of every answer about the legacy resource, each ended by CR LF. */
  readonly legacyHeaders: string;
  /** Whether a trusted proxy has opened a connection; none has when left out. */
  readonly isProxy: ((socket: Socket) => boolean) | undefined;
  /** Runs before the API. */
  readonly middleware: readonly RequestHandler[];
  readonly handle: (req: IncomingMessage, res: ServerResponse, connection: Connection) => void;
  /** Answers a request on which a middleware has failed. */
  readonly fail: (req: IncomingMessage, res: ServerResponse, connection: Connection, error: unknown) => void;
  readonly onRefusal: (refusal: ConnectionRefusal) => void;
  /** A connection was ended for what its client did; the request is the one that was too much. */
  readonly onCut: (requestId: string, cause: Cause) => void;
}

export interface ApiServer {
  readonly server: Server;
  readonly connections: Connections;
}

/** The server of the API's listener, not listening yet. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { limits, onRefusal } = options;
  const app = createApp(options.middleware, answer);
  const hosted: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void = app;
  const { Request, Response } = messageClasses(app, (res, socket) => connections.release(res, socket));
  const server = createServer({
    IncomingMessage: Request,
    ServerResponse: Response,
    // The checks do it themselves: Node's own answer has no body.
    requireHostHeader: false,
    maxHeaderSize: 16 * 1024,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.headersTimeoutMs + bodyTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
  });
  // W60: bounded by size alone: beyond a number of lines Node drops the rest silently, a second `Authorization` with it.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  allowHalfOpen(server);
  const connections = trackConnections(server, options.isProxy);

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    const connection = connections.of(req.socket);
    if (connection.isEnding || !req.socket.writable) return;
    const { last } = connection;
    connection.last = res;
    // Pipelined requests are taken one by one: Node gives the connection to a response when the one before it is over.
    if (res.socket !== null) dispatch(req, res, connection);
    else if (connection.waiting.add(req.socket.bytesRead)) {
      last?.once("close", () => {
        connection.waiting.takeFirst();
        dispatch(req, res, connection);
      });
    } else cut(req, connection);
  }

  function cut(req: IncomingMessage, connection: Connection): void {
    connection.isEnding = true;
    req.socket.destroy();
    options.onCut(requestIdOf(requestHead(req.rawHeaders).requestId), tooManyWaiting);
  }

  function dispatch(req: IncomingMessage, res: ServerResponse, connection: Connection): void {
    if (!req.socket.writable) return;
    connection.requests += 1;
    req.url = originForm(req.url ?? "");
    // Instead of Express's own error page, which it would prepare each time.
    hosted(req, res, (error) => {
      if (!error) answer(req, res);
      else if (res.headersSent) res.destroy();
      else options.fail(req, res, connection, error);
    });
  }

  /** The last middleware; also what follows when one before it leaves Express's router (`next("router")`). */
  function answer(req: IncomingMessage, res: ServerResponse): void {
    // A middleware may have answered and handed it on all the same.
    if (!res.headersSent) options.handle(req, res, connections.of(req.socket));
  }

  server.on("request", onRequest);
  // W48: an unknown `Expect` is ignored; one for `100-continue` gets its answer instead of the permission.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  refuseOnError(server, connections, options.legacyHeaders, onRefusal);
  return { server, connections };
}

const tooManyWaiting: Cause = {
  code: "too_many_waiting",
  text: "too many requests waited on one connection",
};

/** A body is thrown away within half a second; this ends what trickles on. */
const bodyTimeoutMs = 5000;

/**
 * Stops accepting and waits for what is under way, at most `graceMs`; then ends every connection. `endIdle` is called
 * again and again, since a connection may become idle while others are still busy. W96: what a front sends into one that is
 * ending gets no answer at all, rather than part of one, so it can ask another gateway.
 */
export async function closeServer(server: Server, graceMs: number, endIdle: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    stopAccepting(server, resolve);
  });
  endIdle();
  const idle = setInterval(endIdle, idleCheckMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

const idleCheckMs = 50;
