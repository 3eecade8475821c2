import { METHODS, type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Cause } from "../core/cause-code.ts";
import { type Connections, endGently, isAnswering } from "./connections.ts";
import type { Route } from "./exchange.ts";
import {
  admittedResource,
  errorEnvelope,
  errorStatus,
  malformedMessage,
  messageRefusal,
  Refusal,
  wrongMethod,
} from "./refusal.ts";
import { requestHead, requestIdOf } from "./request-head.ts";
import { requestTarget } from "./request-target.ts";

/** A request that Node's parser refused. */
export interface ConnectionRefusal {
  readonly requestId: string;
  readonly route: Route;
  readonly status: number;
  /** For the log. Its text is the parser's or the system's error code, never bytes of the client. */
  readonly cause: Cause;
}

/**
 * W15: answers in the API's envelope what Node would answer by itself or not at all: parse errors, header sections that are too
 * long or too late, and CONNECT. While an earlier request of the connection is being answered, that answer is finished, and the
 * connection is ended without an error response, which the client could take for that answer.
 */
export function refuseBeforeRouting(
  server: Server,
  connections: Connections,
  legacyHeaders: string,
  onRefusal: (refusal: ConnectionRefusal) => void,
): void {
  function refuse(socket: Socket, requestId: string, refusal: Refusal, route: Route): void {
    const connection = connections.of(socket);
    if (connection.isEnding) return;
    connection.isEnding = true;
    const { last, ignoring } = connection;
    // An error in a body that is being ignored belongs to the request that has no answer yet.
    const isInBody = ignoring !== undefined && !ignoring.req.complete;
    if (!isInBody && isAnswering(connection)) {
      last?.once("close", () => endGently(socket));
      return;
    }
    connection.ignoring = undefined;
    const id = isInBody ? ignoring.requestId : requestId;
    const extraHeaders = route === "legacy" ? legacyHeaders : "";
    endGently(socket, rawResponse(refusal, id, extraHeaders));
    onRefusal({ requestId: id, route, status: errorStatus(refusal.code), cause: refusal.cause });
  }

  server.on("clientError", (error: ClientError, socket) => {
    if (!(socket instanceof Socket)) return;
    // No answer is sent to a client that is gone. Neither is one sent to a client that has not sent a byte, since it could take
    // the answer for one to its first request.
    if (!socket.writable || socket.bytesRead === 0 || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    // RFC 9112 section 9.6: bytes after a request that said `Connection: close` are ignored.
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    // The parser reports an error for each packet that follows.
    if (connections.of(socket).isEnding) return;
    const { code = error.message, rawPacket = noBytes, bytesParsed = 0 } = error;
    const head = refusedHead(rawPacket);
    const requestId = refusedRequestId(head, socket.bytesRead === rawPacket.length);
    const { refusal, route } = methodRefusal(head, { code, at: bytesParsed }) ?? {
      refusal: malformedMessage(code),
      route: "unknown",
    };
    refuse(socket, requestId, refusal, route);
  });

  server.on("connect", (request, socket) => {
    if (!(socket instanceof Socket)) return;
    const values = request.headersDistinct["x-request-id"] ?? [];
    const cause: Cause = { code: "wrong_method", text: "CONNECT" };
    const { code, headers } = wrongMethod;
    refuse(socket, requestIdOf(values), new Refusal(code, cause, headers), "unknown");
  });
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

const noBytes = Buffer.alloc(0);

/**
 * The id of a request that Node's parser refused. `isWhole` says that its packet is the first of the connection. Only a packet
 * that begins with the request surely has all its header lines. The rest of a split request gets a fresh id.
 */
export function refusedRequestId(head: RefusedHead, isWhole: boolean): string {
  const isTrusted = isWhole || head.requestLine !== undefined;
  return requestIdOf(isTrusted ? requestHead(head.rawHeaders).requestId : []);
}

/** The answer as text for the socket, since a refused request has no `ServerResponse`. */
function rawResponse({ code, headers }: Refusal, requestId: string, extraHeaders: string): string {
  const body = errorEnvelope(code, requestId);
  const status = errorStatus(code);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${requestId}\r\n${headers}${extraHeaders}`,
    `Content-Length: ${Buffer.byteLength(body)}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n`,
  ];
  return lines.join("") + body;
}

/** Where Node's parser stopped: its error code, and how many bytes of the packet it had read. */
interface ParserStop {
  readonly code: string;
  readonly at: number;
}

interface MethodRefusal {
  readonly refusal: Refusal;
  readonly route: Route;
}

/**
 * W14: checks 1 to 3 for a request that Node's parser refused for its method alone: 405 on a resource, 404 elsewhere. The
 * message must be as well formed as one that the parser accepts, since the first check comes before the third. Otherwise,
 * or when the fault is another one, the result is `undefined`, and the message counts as malformed.
 */
export function methodRefusal(head: RefusedHead, stop: ParserStop): MethodRefusal | undefined {
  const { requestLine, rawHeaders, isWellFormed, isComplete } = head;
  if (requestLine === undefined || !isWellFormed || !isForMethod(requestLine, stop)) return undefined;
  const { method, target, httpVersion, end } = requestLine;
  const { hostCount } = requestHead(rawHeaders);
  // A header section that continues in another packet may have its Host line there.
  const isHostless = hostCount === 0 && !isComplete;
  if (messageRefusal(httpVersion, isHostless ? 1 : hostCount) !== undefined) return undefined;
  if (!hasOneFraming(rawHeaders) || headerBytes(rawHeaders) + end > maxHeaderBytes) return undefined;
  const resource = requestTarget(target);
  const refusal = admittedResource(resource, method);
  if (resource.kind === "malformed" || !(refusal instanceof Refusal)) return undefined;
  return { refusal, route: resource.kind };
}

/**
 * The parser also knows some methods of RTSP and the one of HTTP/2's preface. It refuses these only when it reaches the version,
 * so it must have read past the method in this packet.
 */
function isForMethod({ method, end }: RequestLine, { code, at }: ParserStop): boolean {
  if (knownMethods.has(method) || at > end) return false;
  return code === "HPE_INVALID_METHOD" || (lateCodes.has(code) && at > method.length);
}

/** Methods that the parser accepts in HTTP. A message with one of them has another fault. */
const knownMethods = new Set(METHODS);
const lateCodes = new Set(["HPE_INVALID_CONSTANT", "HPE_INVALID_VERSION"]);

/** RFC 9112 section 6.3: a message that states its length in two ways may look like two messages to a proxy. */
function hasOneFraming(rawHeaders: readonly string[]): boolean {
  const framings = rawHeaders.filter((name, at) => at % 2 === 0 && framingPattern.test(name));
  return framings.length <= 1;
}

function headerBytes(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

const framingPattern = /^(?:content-length|transfer-encoding)$/i;
/** The same bound as for every request. */
const maxHeaderBytes = 16 * 1024;

/** The readable parts of a request that Node's parser refused, from the packet in which the parser gave up. */
interface RefusedHead {
  /** The first line, if it is a request line. */
  readonly requestLine: RequestLine | undefined;
  /** The header lines as Node's parser gives them: name, value, name, value, ... */
  readonly rawHeaders: readonly string[];
  /** Each line in the packet is what HTTP allows. */
  readonly isWellFormed: boolean;
  /** The packet holds the end of the header section. */
  readonly isComplete: boolean;
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** `1.1` and the like. */
  readonly httpVersion: string;
  /** Where the line ends in the packet, its CR LF included. */
  readonly end: number;
}

/**
 * W63: reads the packet in one pass over its lines. Patterns over the whole packet would be shorter, but these bytes may be
 * an attacker's, and a pattern that looks for the end of something repeated can be made to search for seconds. A last line
 * that the packet cuts off is not read, since its missing part could change its meaning.
 */
export function refusedHead(packet: Uint8Array): RefusedHead {
  const text = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength).toString("latin1");
  const rawHeaders: string[] = [];
  let requestLine: RequestLine | undefined;
  let isWellFormed = true;
  let isFirst = true;
  for (let at = 0; ; ) {
    const end = text.indexOf("\n", at);
    if (end === -1) return { requestLine, rawHeaders, isWellFormed, isComplete: false };
    const isEndedRight = end > at && text.charAt(end - 1) === "\r";
    const line = text.slice(at, isEndedRight ? end - 1 : end);
    at = end + 1;
    if (!isEndedRight) isWellFormed = false;
    if (line === "") {
      // RFC 9112 section 2.2: empty lines before a request are passed over.
      if (isFirst) continue;
      return { requestLine, rawHeaders, isWellFormed, isComplete: true };
    }
    if (isFirst) {
      isFirst = false;
      requestLine = parsedRequestLine(line, at);
      if (requestLine === undefined) isWellFormed = false;
    } else if (!takeHeaderLine(line, rawHeaders)) isWellFormed = false;
  }
}

/** RFC 9112 section 3: three parts, one space between them. */
function parsedRequestLine(line: string, end: number): RequestLine | undefined {
  const [method = "", target = "", version = "", ...more] = line.split(" ", 4);
  if (more.length > 0 || target === "" || !tokenPattern.test(method)) return undefined;
  const httpVersion = versionPattern.exec(version)?.[1];
  return httpVersion === undefined ? undefined : { method, target, httpVersion, end };
}

/** Adds name and value. True when the line is what RFC 9112 section 5 allows, without folding. */
function takeHeaderLine(line: string, rawHeaders: string[]): boolean {
  const colon = line.indexOf(":");
  if (colon === -1) return false;
  const name = line.slice(0, colon);
  const value = withoutOuterSpace(line.slice(colon + 1));
  rawHeaders.push(name, value);
  return tokenPattern.test(name) && !controlPattern.test(value);
}

/** RFC 9110 section 5.6.3: optional white space consists of spaces and tabs alone. */
function withoutOuterSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpaceOrTab(text.charCodeAt(from))) from += 1;
  while (to > from && isSpaceOrTab(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isSpaceOrTab(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Each pattern is one repeated class, or of fixed length, so matching takes linear time. */
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const versionPattern = /^HTTP\/(\d\.\d)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const controlPattern = /[\x00-\x08\x0a-\x1f\x7f]/;
