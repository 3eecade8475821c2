import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { noteHeadSent } from "./node-internals.ts";
import { headerList } from "./response-headers.ts";

/** A response whose body is at hand. */
export interface WholeResponse {
  readonly status: number;
  /** Header lines, `Content-Length` among them, without `Date` and `Connection`. */
  readonly headers: string;
  /** Text is ASCII. */
  readonly body: Buffer | string;
  /** The connection ends with this response. */
  readonly closes: boolean;
}

export interface WholeSenderOptions {
  readonly keepAliveTimeoutMs: number;
  /** Nothing but the API has a say in a response: nobody has set a header or replaced one of its methods. */
  readonly isAlone: boolean;
}

/** Sends it. `true` when the operating system has taken all of it; else the rest is on its way. */
export type WholeSender = (res: ServerResponse, response: WholeResponse) => boolean;

/**
 * Node takes each header line apart, checks and joins it again, and hands head, body and end to the connection in
 * three parts: about a quarter of the time of a short answer. Ours are checked where they are made, so on a
 * connection that stays open they go out as they are; `Date`, `Connection` and `Keep-Alive` as Node would write them.
 */
export function createWholeSender({ keepAliveTimeoutMs, isAlone }: WholeSenderOptions): WholeSender {
  const keepAlive =
    keepAliveTimeoutMs === 0 ? "" : `Keep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n`;
  const ending = `Connection: keep-alive\r\n${keepAlive}\r\n`;
  const lastLines = secondsClock((now) => `Date: ${now}\r\n${ending}`);
  let outgoing = newBlock();

  /** Head and a body of usual size as one piece, which the system takes faster than two; no text to be encoded. */
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
    // What the system has not taken yet is still read from here.
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

/** A larger body takes longer to hand over than other clients should wait. */
const maxWriteBytes = 2 * 1024 * 1024;
const turnBytes = 32 * 1024;

function isLarge(body: Buffer | string): body is Buffer {
  return typeof body !== "string" && body.length > maxWriteBytes;
}

/** Piece by piece, each when the one before it was taken and all other connections had their turn. */
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

/** A text with the time as HTTP writes it, which many responses share. */
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
