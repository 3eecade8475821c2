import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type CredentialsReader, createCredentialsReader } from "./bearer-credentials.ts";

/** What is known of one client connection. */
export interface Connection {
  /** For the log: the server's own random part and a number, so that lines of several gateways can be put together. */
  readonly id: string;
  /** Requests taken up; those pipelined behind them still wait. */
  requests: number;
  /**
   * The response to the last request that came in, until it is over. Responses leave in order, so then all are. One that
   * is over must not be kept: each garbage collection would have one of each connection to copy.
   */
  last: ServerResponse | undefined;
  readonly waiting: WaitingRequests;
  /** The request whose body is being thrown away; its answer has not begun. */
  ignoring: { readonly req: IncomingMessage; readonly requestId: string } | undefined;
  readonly credentials: CredentialsReader;
  /** A trusted proxy's. Looked at when it opens: of a socket that is over, the system tells no address. */
  readonly isProxied: boolean;
  /** A response said `Connection: close`, or an error ended the conversation: nothing further is answered. */
  isEnding: boolean;
}

/** All open connections of a server. */
export interface Connections {
  of(socket: Socket): Connection;
  count(): number;
  /** The response is out. */
  release(res: ServerResponse, socket: Socket): void;
  /**
   * Ends those that wait for nothing: no answer is on its way and no first request has begun. Node's own
   * `closeIdleConnections` also cuts answers that are written but not yet taken, and leaves unused connections open.
   */
  endIdle(): void;
}

export function trackConnections(
  server: Server,
  isProxy: (socket: Socket) => boolean = () => false,
): Connections {
  const open = new Map<Socket, Connection>();
  const serverPart = randomBytes(4).toString("hex");
  let opened = 0;
  server.on("connection", (socket: Socket) => {
    opened += 1;
    open.set(socket, newConnection(`${serverPart}-${opened}`, isProxy(socket)));
    socket.once("close", () => open.delete(socket));
  });
  return {
    of: (socket) => open.get(socket) ?? { ...newConnection(`${serverPart}-0`, false), isEnding: true },
    count: () => open.size,
    release(res, socket) {
      const connection = open.get(socket);
      if (connection?.last === res) connection.last = undefined;
    },
    endIdle() {
      for (const [socket, connection] of open) {
        const isUnused = connection.requests === 0 && socket.bytesRead === 0;
        const isDone = connection.requests > 0 && !isAnswering(connection);
        if (isUnused || isDone) socket.destroy();
      }
    },
  };
}

function newConnection(id: string, isProxied: boolean): Connection {
  return {
    id,
    requests: 0,
    last: undefined,
    waiting: createWaitingRequests(),
    ignoring: undefined,
    credentials: createCredentialsReader(),
    isProxied,
    isEnding: false,
  };
}

/** Whether an answer to an earlier request of the connection is not yet over: wholly out, and Node done with it. */
export function isAnswering({ last }: Connection): boolean {
  return last !== undefined && !last.destroyed;
}

/**
 * Ends our side and gives the client a moment to read what was sent. Closing at once while bytes of it are unread
 * makes the system reset the connection, which can destroy the answer on its way (RFC 9112 section 9.6).
 */
export function endGently(socket: Socket, lastWords?: string): void {
  // The parser, if it still has the socket, throws further bytes away; else nobody reads them.
  socket.on("error", () => {});
  if (lastWords === undefined) socket.end();
  else socket.end(lastWords);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

const lingerMs = 1000;

/** Requests of one connection that were pipelined behind the one that is being answered. */
export interface WaitingRequests {
  /** `bytesRead` is what the connection has sent so far. `false`: there are more than a connection may have waiting. */
  add(bytesRead: number): boolean;
  /** The first one's turn has come. */
  takeFirst(): void;
}

/**
 * W61: each waiting request is some 2 KiB of memory besides its bytes, bodies included, so both are bounded. Above a bound the
 * connection is to be destroyed: Node reads on even from a paused one, and nothing else stops a client that sends faster
 * than it reads.
 */
export function createWaitingRequests(): WaitingRequests {
  /** For each, what the connection had sent by then. */
  const marks: number[] = [];
  return {
    add(bytesRead) {
      marks.push(bytesRead);
      return marks.length <= maxWaiting && bytesRead - (marks[0] ?? 0) <= maxWaitingBytes;
    },
    takeFirst() {
      marks.shift();
    },
  };
}

/** Clients that pipeline at all send some dozens; one that sends more has its rest answered on another connection. */
const maxWaiting = 256;
/** Beyond the chunk of at most 64 KiB in which the first of them came. */
const maxWaitingBytes = 256 * 1024;
