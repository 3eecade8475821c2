import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { headerList } from "./response-headers.ts";

// Writes head and body of an answer to the socket itself, as one buffer where it fits. Node would split each header line, check
// and join it again, and write head, body and end in three parts: with its own `writeHead` and `end` a warm detail takes 1.3 to
// 1.5 times the processor time. The header lines are valid by construction. `Date`, `Connection` and
// `Keep-Alive` are written as Node would write them, and a test compares both byte by byte.
//
// This needs things that Node does not document. They stand at the end of this file, each with the test that fails when a new
// version of Node changes it.

/** An answer whose body is in memory. */
export interface ReadyAnswer {
  readonly status: number;
  /** Header lines, `Content-Length` among them, without `Date` and `Connection`. */
  readonly headers: string;
  /** A string holds only ASCII. */
  readonly body: Buffer | string;
  /** The connection ends with this response. */
  readonly closes: boolean;
}

/** Sends the answer. True when the operating system has taken all of it; else the rest is still being sent. */
export type AnswerSender = (res: ServerResponse, response: ReadyAnswer) => boolean;

export function createAnswerSender(keepAliveTimeoutMs: number): AnswerSender {
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

  function sendDirectly(
    res: ServerResponse,
    socket: Socket,
    { status, headers, body }: ReadyAnswer,
  ): boolean {
    const head = `${statusLines.get(status)}${headers}${lastLines()}`;
    markHeadSent(res, status, head);
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
    const isUsual = res.shouldKeepAlive && !response.closes && res.req.method !== "HEAD";
    if (isUsual && socket?.writable === true) return sendDirectly(res, socket, response);
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

/**
 * Sets what Node sets on a response whose head is sent, so that `end` only concludes the response. Whatever watches responses,
 * as monitoring agents do at `finish`, finds the status where it always is.
 * Tested by `wire-headers.test.ts` and `wire-message.test.ts`.
 */
function markHeadSent(res: ServerResponse, status: number, head: string): void {
  res.statusCode = status;
  Object.assign(res, { _header: head, _headerSent: true });
}

/**
 * Bytes of the current write that the system has not taken yet. A large body is one write, so only this number shows whether
 * its client still reads. Node's own socket timeout uses the same field.
 * Tested by `stalled-readers.test.ts`.
 */
export function waitingBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

/**
 * A class of responses that calls `onOut` when a response has been sent completely, which is when Node detaches its socket.
 * A `close` listener on each response took 5 to 10 percent more processor time per short request.
 * Tested by `api-server.test.ts`.
 */
export function reportingResponse(
  onOut: (res: ServerResponse, socket: Socket) => void,
): typeof ServerResponse {
  return class Response<Message extends IncomingMessage = IncomingMessage> extends ServerResponse<Message> {
    // A body that is shorter or longer than announced would be mixed with the next response.
    override strictContentLength = true;

    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      onOut(this, socket);
    }
  };
}
