import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { noteHeadSent } from "./node-internals.ts";
import { headerList } from "./response-headers.ts";

/** A response whose body is in memory. */
export interface WholeResponse {
  readonly status: number;
  /** Header lines, `Content-Length` among them, without `Date` and `Connection`. */
  readonly headers: string;
  /** A string holds only ASCII. */
  readonly body: Buffer | string;
  /** The connection ends with this response. */
  readonly closes: boolean;
}

export interface WholeSenderOptions {
  readonly keepAliveTimeoutMs: number;
  /** No middleware runs, so nothing else sets headers or replaces methods of a response. */
  readonly isAlone: boolean;
}

/** Sends the response. True when the operating system has taken all of it; else the rest is still being sent. */
export type WholeSender = (res: ServerResponse, response: WholeResponse) => boolean;

/**
 * Writes head and body to the socket itself where possible. Node would split each header line, check and join it again, and
 * write head, body and end in three parts, which takes about a quarter of the time of a short answer. Our header lines are
 * valid by construction. `Date`, `Connection` and `Keep-Alive` are written as Node would write them.
 */
export function createWholeSender({ keepAliveTimeoutMs, isAlone }: WholeSenderOptions): WholeSender {
  const keepAlive =
    keepAliveTimeoutMs === 0 ? "" : `Keep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n`;
  const ending = `Connection: keep-alive\r\n${keepAlive}\r\n`;
  const lastLines = secondsClock((now) => `Date: ${now}\r\n${ending}`);
  let outgoing = newBlock();

  /** Writes head and body as one buffer if they fit, since one write is faster than two and needs no encoding. */
  function writeBytes(socket: Socket, head: string, body: Buffer): void {
    const headBytes = outgoing.write(head, "latin1");
    if (headBytes + body.length <= blockBytes) {
      outgoing.set(body, headBytes);
      socket.write(outgoing.subarray(0, headBytes + body.length));
    } else {
      socket.cork();
      socket.write(outgoing.subarray(0, headBytes));
      socket.write(body);
      socket.uncork();
    }
    // The system still reads the rest from this block, so the next response needs another one.
    if (socket.writableLength > 0) outgoing = newBlock();
  }

  function sendAsItIs(
    res: ServerResponse,
    socket: Socket,
    { status, headers, body }: WholeResponse,
  ): boolean {
    const head = `${statusLines.get(status)}${headers}${lastLines()}`;
    noteHeadSent(res, head);
    if (isLarge(body)) {
      socket.write(head, "latin1");
      writeInTurns(socket, body, () => res.end());
      return false;
    }
    if (typeof body === "string") socket.write(head + body, "latin1");
    else writeBytes(socket, head, body);
    const isTaken = socket.writableLength === 0;
    res.end();
    return isTaken;
  }

  return (res, response) => {
    const { socket } = res;
    const isUsual = isAlone && res.shouldKeepAlive && !response.closes && res.req.method !== "HEAD";
    if (isUsual && socket?.writable === true) return sendAsItIs(res, socket, response);
    const headers = headerList(response.headers);
    if (response.closes) headers.push("Connection", "close");
    res.writeHead(response.status, headers);
    const { body } = response;
    if (isLarge(body) && res.req.method !== "HEAD") {
      writeInTurns(res, body, () => res.end());
      return false;
    }
    res.end(body);
    return socket?.writableLength === 0;
  };
}

const statusLines = new Map(
  Object.entries(STATUS_CODES).map(([code, reason]) => [Number(code), `HTTP/1.1 ${code} ${reason}\r\n`]),
);

/** Writing a larger body at once would make other clients wait too long. */
const maxWriteBytes = 2 * 1024 * 1024;
const turnBytes = 32 * 1024;

function isLarge(body: Buffer | string): body is Buffer {
  return typeof body !== "string" && body.length > maxWriteBytes;
}

/** Writes the body in pieces. Each waits until the piece before was taken and the event loop has served the others. */
function writeInTurns(sink: Writable, body: Buffer, end: () => void): void {
  let at = 0;
  const next = (): void => {
    if (sink.destroyed) return;
    const piece = body.subarray(at, at + turnBytes);
    at += piece.length;
    sink.write(piece, (error) => {
      if (!error && at < body.length) setImmediate(next);
    });
    if (at === body.length) end();
  };
  next();
}

const blockBytes = 64 * 1024;

function newBlock(): Buffer {
  return Buffer.allocUnsafeSlow(blockBytes);
}

/** A text with the time in HTTP's form, made once per second. */
function secondsClock(textAt: (httpDate: string) => string): () => string {
  let second = Number.NaN;
  let text = "";
  return () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      text = textAt(new Date(now * 1000).toUTCString());
    }
    return text;
  };
}
