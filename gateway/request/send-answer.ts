import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";

// Writes head and body of an answer to the socket itself, as one buffer where it fits. Node would split each
// header line, check and join it again, and write head, body and end in three parts: with its own `writeHead`
// and `end` a warm detail takes 1.3 to 1.5 times the processor time. The header lines are valid by
// construction. `Date`, `Connection` and `Keep-Alive` are written as Node would write them, and a test
// compares both byte by byte.
//
// This needs what Node does not document. Each such line names the test that fails when Node changes it.

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

/** Sends the answer. True when the operating system has taken all of it; else the rest is under way. */
export type AnswerSender = (res: ServerResponse, response: ReadyAnswer) => boolean;

export function createAnswerSender(keepAliveTimeoutMs: number): AnswerSender {
  const lastLines = lastLinesClock(keepAliveTimeoutMs);
  const outgoing = new OutgoingBlock();

  function sendDirectly(
    res: ServerResponse,
    socket: Socket,
    { status, headers, body }: ReadyAnswer,
  ): boolean {
    const head = `${statusLines.get(status)}${headers}${lastLines()}`;
    // What Node sets when it sends a head, so that `end` only concludes the response, and monitoring agents
    // find the status where it always is. Tested by `wire-headers.test.ts` and `wire-message.test.ts`.
    // `Object.assign` would take up to 2 µs.
    const sent = res as ServerResponse & { _header: string; _headerSent: boolean };
    sent.statusCode = status;
    sent._header = head;
    sent._headerSent = true;
    if (isLarge(body)) {
      socket.write(head, "latin1");
      writeInTurns(socket, body, res);
      return false;
    }
    if (typeof body === "string") socket.write(head + body, "latin1");
    else outgoing.write(socket, head, body);
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
      writeInTurns(res, body, res);
      return false;
    }
    res.end(body);
    return socket?.writableLength === 0;
  };
}

/** The lines that end a head, made once per second. */
function lastLinesClock(keepAliveTimeoutMs: number): () => string {
  const timeout = Math.floor(keepAliveTimeoutMs / 1000);
  const keepAlive = keepAliveTimeoutMs === 0 ? "" : `Keep-Alive: timeout=${timeout}\r\n`;
  let madeAt = Number.NaN;
  let lines = "";
  return () => {
    const second = Math.floor(Date.now() / 1000);
    if (second !== madeAt) {
      madeAt = second;
      const date = new Date(second * 1000).toUTCString();
      lines = `Date: ${date}\r\nConnection: keep-alive\r\n${keepAlive}\r\n`;
    }
    return lines;
  };
}

/** Writes head and body as one buffer if they fit: one write is faster, and needs no encoding. */
class OutgoingBlock {
  #block = newBlock();

  write(socket: Socket, head: string, body: Buffer): void {
    const headBytes = this.#block.write(head, "latin1");
    if (headBytes + body.length <= blockBytes) {
      this.#block.set(body, headBytes);
      socket.write(this.#block.subarray(0, headBytes + body.length));
    } else {
      socket.cork();
      socket.write(this.#block.subarray(0, headBytes));
      socket.write(body);
      socket.uncork();
    }
    // The system still reads the rest from this block, so the next response needs another one.
    if (socket.writableLength > 0) this.#block = newBlock();
  }
}

/** The lines as name, value, name, value, ..., as Node's `writeHead` takes them. */
export function headerList(lines: string): string[] {
  return lines
    .split("\r\n")
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
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

/** Writes the body in pieces, each after the one before was taken and the loop has served others. */
function writeInTurns(sink: Writable, body: Buffer, res: ServerResponse): void {
  let at = 0;
  const next = (): void => {
    if (sink.destroyed) return;
    const piece = body.subarray(at, at + turnBytes);
    at += piece.length;
    sink.write(piece, (error) => {
      if (!error && at < body.length) setImmediate(next);
    });
    if (at === body.length) res.end();
  };
  next();
}

const blockBytes = 64 * 1024;

function newBlock(): Buffer {
  return Buffer.allocUnsafeSlow(blockBytes);
}

/**
 * A class of responses that calls `onOut` when a response has been sent completely, which is when Node
 * detaches its socket. A `close` listener on each response took 5 to 10 percent more processor time per short
 * request. Tested by `api-server.test.ts`.
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

/** How long a client may take to accept a response. */
export interface SendLimits {
  /** Milliseconds without any progress. */
  readonly stallMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
}

/**
 * W62: ends the connection of a client that does not read its response in time, and calls `over` once when
 * the response is over. The socket's own timeout is not enough: Node lets it pass once more during a write,
 * and anything that the client sends delays it.
 */
export function watchSending(res: ServerResponse, limits: SendLimits, over: (isCut: boolean) => void): void {
  const { socket } = res;
  let { stallMs } = limits;
  const everyMs = Math.min(stallMs / 8, maxLookMs);
  let seen = takenBytes(socket);
  let lookedAtMs = performance.now();
  let stalledMs = 0;
  let isWhole = false;

  function look(): void {
    const taken = takenBytes(socket);
    const nowMs = performance.now();
    // If this process was held up, it gave nothing to the system. That is not the client's fault.
    stalledMs = taken === seen ? stalledMs + Math.min(nowMs - lookedAtMs, 2 * everyMs) : 0;
    seen = taken;
    lookedAtMs = nowMs;
    if (stalledMs >= stallMs) socket?.destroy();
  }

  const total = setTimeout(() => socket?.destroy(), limits.totalMs);
  const looking = setInterval(look, everyMs);
  // A client that closed its side may still read. But most are gone, which shows only when bytes are sent.
  const shorten = (): void => {
    stallMs = Math.min(stallMs, halfClosedStallMs);
  };
  if (socket?.readableEnded === true) shorten();
  else socket?.once("end", shorten);
  // Node emits `finish` even if the connection was destroyed before the last bytes were sent.
  res.prependOnceListener("finish", () => {
    isWhole = socket?.destroyed === false;
  });
  res.once("close", () => {
    clearTimeout(total);
    clearInterval(looking);
    socket?.off("end", shorten);
    over(!isWhole);
  });
}

const halfClosedStallMs = 2000;
const maxLookMs = 500;

/**
 * Rises when the system takes bytes. `bytesWritten - writableLength` counts the writes that are done. A large
 * body is one write, so `writeQueueSize`, what the system has not taken of it, must count, too. Node's own
 * socket timeout uses the same field. Tested by `stalled-readers.test.ts`.
 */
export function takenBytes(socket: Socket | null): number {
  if (socket === null) return 0;
  const { _handle: handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
