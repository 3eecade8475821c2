import { connect, type Socket } from "node:net";
import { patience } from "./patience.ts";

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case, in order, repeated ones kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, chunked coding undone, content coding not. */
  readonly body: Buffer;
  header(name: string): string | undefined;
}

/** What became of a connection. */
export interface Conversation {
  readonly responses: readonly RawResponse[];
  /** Bytes behind the last whole response: none, unless a response was cut. */
  readonly rest: Buffer;
  /** `open`: it stayed open until the client had what it waited for. */
  readonly ending: "closed" | "reset" | "open";
}

export interface ConversationOptions {
  /** Bytes to send; several are sent one by one, each after the former is on its way. */
  readonly send: string | Buffer | readonly (string | Buffer)[];
  /** Stop after so many whole responses; without it, talk until the server closes. */
  readonly responses?: number;
  /** Close our side after the last byte. */
  readonly halfClose?: boolean;
  /** So many of the first responses have no body, whatever they announce: those to HEAD. */
  readonly bodiless?: number;
  readonly timeoutMs?: number;
}

/**
 * Sends bytes to a server and reads what comes back, byte by byte as it came. Rejects when nothing decides in
 * time.
 */
export async function converse(origin: string, options: ConversationOptions): Promise<Conversation> {
  const { send, responses: wanted, halfClose = false, bodiless = 0, timeoutMs = patience.timeout } = options;
  const socket = openSocket(origin);
  let received: Buffer = Buffer.alloc(0);
  const parsed = (): { responses: RawResponse[]; rest: Buffer } => parseResponses(received, bodiless);
  try {
    return await new Promise<Conversation>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new Error(
            `no end after ${timeoutMs} ms; received ${JSON.stringify(received.toString("latin1", 0, 400))}`,
          ),
        );
      }, timeoutMs);
      const finish = (ending: Conversation["ending"]): void => {
        clearTimeout(timer);
        resolve({ ...parsed(), ending });
      };
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (wanted !== undefined && parsed().responses.length >= wanted) finish("open");
      });
      socket.on("end", () => finish("closed"));
      socket.on("error", () => finish("reset"));
      socket.on("close", () => finish("closed"));
      sendAll(socket, typeof send === "string" || Buffer.isBuffer(send) ? [send] : send, halfClose).catch(
        reject,
      );
    });
  } finally {
    socket.destroy();
  }
}

export function openSocket(origin: string): Socket {
  const { hostname, port } = new URL(origin);
  return connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
}

/** Splits what was received into whole responses and what is left. */
export function parseResponses(
  received: Buffer,
  bodiless: number,
): { responses: RawResponse[]; rest: Buffer } {
  const responses: RawResponse[] = [];
  let rest = received;
  for (;;) {
    const parsed = parseResponse(rest, responses.length < bodiless);
    if (parsed === undefined) return { responses, rest };
    // Permission to send a body is no answer.
    if (parsed.response.status >= 200) responses.push(parsed.response);
    rest = rest.subarray(parsed.length);
  }
}

async function sendAll(
  socket: Socket,
  pieces: readonly (string | Buffer)[],
  halfClose: boolean,
): Promise<void> {
  for (const piece of pieces) {
    await new Promise<void>((resolve) => {
      const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
      // A server that has refused us already may have closed; then the write's failure is of no interest.
      socket.write(bytes, () => setImmediate(resolve));
    });
  }
  if (halfClose) socket.end();
}

function parseResponse(
  bytes: Buffer,
  bodiless: boolean,
): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const match = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(statusLine);
  if (match === null) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`);
  const status = Number(match[1]);
  const headers = lines.map((line): [string, string] => {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (field === null) throw new Error(`not a header line: ${JSON.stringify(line)}`);
    return [(field[1] ?? "").toLowerCase(), field[2] ?? ""];
  });
  const header = (name: string): string | undefined => headers.find(([key]) => key === name)?.[1];
  const body = bodyOf(bytes.subarray(headEnd + 4), status, header, bodiless);
  if (body === undefined) return undefined;
  return { response: { status, headers, body: body.bytes, header }, length: headEnd + 4 + body.length };
}

function bodyOf(
  bytes: Buffer,
  status: number,
  header: (name: string) => string | undefined,
  bodiless: boolean,
): { bytes: Buffer; length: number } | undefined {
  if (status < 200 || bodiless) return { bytes: Buffer.alloc(0), length: 0 };
  if (header("transfer-encoding") === "chunked") return chunkedBody(bytes);
  const length = Number(header("content-length"));
  if (!Number.isInteger(length)) throw new Error("a response without a length");
  return bytes.length < length ? undefined : { bytes: bytes.subarray(0, length), length };
}

function chunkedBody(bytes: Buffer): { bytes: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
