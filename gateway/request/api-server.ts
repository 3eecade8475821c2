import { createServer, IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import express, { type Express } from "express";
import type { Cause } from "../../core/ground/cause-code.ts";
import { type Connection, type Connections, mayWait, trackConnections } from "./connections.ts";
import { type ConnectionRefusal, refuseBeforeRouting } from "./refuse-before-routing.ts";
import { requestHead, requestIdOf } from "./request-head.ts";
import { originForm } from "./request-target.ts";
import { reportingResponse } from "./send-answer.ts";

export type ApiServer = { readonly server: Server; readonly connections: Connections };

export interface ApiServerOptions {
  /** W61. */
  readonly maxConnections: number;
  /** How long a client may take to send a complete header section (W60). */
  readonly headersTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Header lines of every answer about the legacy resource, each ended by CR LF. */
  readonly legacyHeaders: string;
  /** Whether a trusted proxy opened the connection. `undefined` when no proxy is trusted. */
  readonly isProxy: ((socket: Socket) => boolean) | undefined;
  readonly handle: (req: IncomingMessage, res: ServerResponse, connection: Connection) => void;
  readonly onRefusal: (refusal: ConnectionRefusal) => void;
  /** Called when a connection is cut for its client's behaviour, with the id of the offending request. */
  readonly onCut: (requestId: string, cause: Cause) => void;
}

/** The server of the API's listener, not listening yet. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { app, Request, Response } = createApp(
    (req, res) => options.handle(req, res, connections.of(req.socket)),
    (res, socket) => connections.release(res, socket),
  );
  const server = plainServer(options, Request, Response);
  const connections = trackConnections(server, options.isProxy);

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    const connection = connections.of(req.socket);
    if (connection.isEnding || !req.socket.writable) return;
    const { last } = connection;
    connection.last = res;
    // Pipelined requests are handled one by one. Node gives a response the socket when the one before is
    // over.
    if (res.socket !== null) dispatch(req, res, connection);
    else if (mayWait(connection, req.socket.bytesRead)) {
      last?.once("close", () => {
        connection.waiting.shift();
        dispatch(req, res, connection);
      });
    } else {
      connection.isEnding = true;
      req.socket.destroy();
      options.onCut(requestIdOf(requestHead(req.rawHeaders).requestId), tooManyWaiting);
    }
  }

  function dispatch(req: IncomingMessage, res: ServerResponse, connection: Connection): void {
    if (!req.socket.writable) return;
    connection.requests += 1;
    req.url = originForm(req.url ?? "");
    // This callback replaces Express's own error handler, which Express would create for each request. It is
    // never called, since the API answers every request and throws nothing.
    app(req, res, () => res.destroy());
  }

  server.on("request", onRequest);
  // W48: an unknown `Expect` is ignored. A request with `100-continue` gets its final answer and no 100.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  refuseBeforeRouting(server, connections, options.legacyHeaders, options.onRefusal);
  return { server, connections };
}

/** Node's server with the bounds of the options. */
function plainServer(
  { maxConnections, headersTimeoutMs, keepAliveTimeoutMs }: ApiServerOptions,
  Request: typeof IncomingMessage,
  Response: typeof ServerResponse,
): Server {
  const server = createServer({
    IncomingMessage: Request,
    ServerResponse: Response,
    // The gateway's own check refuses a missing Host, since Node's answer to it has no body.
    requireHostHeader: false,
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs + bodyTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  // W60: only the size of the header section is bounded. With a bound on the number of lines, Node would
  // silently drop the lines above it, such as a second `Authorization`.
  server.maxHeadersCount = 0;
  server.maxConnections = maxConnections;
  // A client that has closed its side (`printf ... | nc`) gets its answer. By default Node gives it only one
  // that is ready at once, and has no documented option for this; `wire-message.test.ts` holds this one.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

const tooManyWaiting: Cause = {
  code: "too_many_waiting",
  text: "too many requests waited on one connection",
};

/** Ignoring a body takes half a second at most. This ends a request whose body still trickles in then. */
const bodyTimeoutMs = 5000;

/** An application as plain Node calls it. */
type HostedApp = Express & ((req: IncomingMessage, res: ServerResponse, next: () => void) => void);

/**
 * The Express application that hosts the API as its one middleware, and message classes whose prototypes
 * *are* the application's. Express sets those prototypes on every request and response, which does nothing to
 * objects that have them already. For others V8 drops its optimised code, and a request takes four times the
 * processor time.
 */
function createApp(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  onOut: (res: ServerResponse, socket: Socket) => void,
) {
  const app: HostedApp = express();
  app.disable("x-powered-by");
  app.use(answer);
  const Request = class extends IncomingMessage {};
  const Response = reportingResponse(onOut);
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { app, Request, Response };
}

/**
 * Stops accepting, waits at most `graceMs` for requests under way, then ends every connection. W96: a request
 * that a proxy sends into an ending connection gets no answer at all instead of part of one, so the proxy can
 * ask another gateway.
 */
export async function closeServer(server: Server, graceMs: number, endIdle: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    // The `close` of `http.Server` itself would cut answers that clients are still reading.
    NetServer.prototype.close.call(server, () => resolve());
  });
  endIdle();
  const idle = setInterval(endIdle, idleCheckMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

const idleCheckMs = 50;
