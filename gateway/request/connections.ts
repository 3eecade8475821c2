import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type CredentialsReader, createCredentialsReader } from "./request-head.ts";

/** One client connection. */
export interface Connection {
  /** For the log: a random part per gateway and a number, so that several logs can be combined. */
  readonly id: string;
  /** Number of requests begun; pipelined ones that still wait do not count. */
  requests: number;
  /** The response to the newest request until it is over. Kept longer, garbage collections would copy it. */
  last: ServerResponse | undefined;
  /** For each request that waits behind the present one, how many bytes the client had sent by then. */
  readonly waiting: number[];
  /** The request whose body is being ignored now, before its answer begins. */
  ignoring: { readonly req: IncomingMessage; readonly requestId: string } | undefined;
  readonly credentials: CredentialsReader;
  /** Whether a trusted proxy opened the connection. Decided then: a closed socket has no address. */
  readonly isProxied: boolean;
  /** `Connection: close` was said, or an error ended the connection. No further request is answered. */
  isEnding: boolean;
}

/** All open connections of a server. */
export type Connections = ReturnType<typeof trackConnections>;

export function trackConnections(server: Server, isProxy: (socket: Socket) => boolean = () => false) {
  const open = new Map<Socket, Connection>();
  const serverPart = randomBytes(4).toString("hex");
  let opened = 0;
  server.on("connection", (socket: Socket) => {
    opened += 1;
    open.set(socket, newConnection(`${serverPart}-${opened}`, isProxy(socket)));
    socket.once("close", () => open.delete(socket));
  });
  return {
    of: (socket: Socket): Connection =>
      open.get(socket) ?? { ...newConnection(`${serverPart}-0`, false), isEnding: true },
    count: () => open.size,
    /** Forgets a response that has been sent completely. */
    release(res: ServerResponse, socket: Socket): void {
      const connection = open.get(socket);
      if (connection?.last === res) connection.last = undefined;
    },
    /** Ends idle connections. Node's `closeIdleConnections` also cuts answers, and keeps unused ones open. */
    endIdle(): void {
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
    waiting: [],
    ignoring: undefined,
    credentials: createCredentialsReader(),
    isProxied,
    isEnding: false,
  };
}

/** Whether an earlier answer on the connection is still being sent. */
export function isAnswering({ last }: Connection): boolean {
  return last !== undefined && !last.destroyed;
}

/**
 * Ends our side and gives the client a moment to read what was sent. If the socket were closed at once while
 * bytes of the client are unread, the system would reset the connection and could destroy the answer (RFC
 * 9112 section 9.6).
 */
export function endGently(socket: Socket, lastWords = ""): void {
  // Further bytes of the client are read and dropped.
  socket.on("error", () => {});
  socket.end(lastWords);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

const lingerMs = 1000;

/**
 * W61: whether one more request may wait. Each takes about 2 KiB of memory besides its bytes. Above a bound
 * the caller destroys the connection: pausing it would not help, since Node reads on.
 */
export function mayWait({ waiting }: Pick<Connection, "waiting">, bytesRead: number): boolean {
  waiting.push(bytesRead);
  return waiting.length <= maxWaiting && bytesRead - (waiting[0] ?? 0) <= maxWaitingBytes;
}

/** Pipelining clients send some dozens of requests. One that sends more needs another connection. */
const maxWaiting = 256;
/** The count begins at the end of the chunk, of at most 64 KiB, that brought the first waiting request. */
const maxWaitingBytes = 256 * 1024;
