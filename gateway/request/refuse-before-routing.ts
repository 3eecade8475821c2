import { METHODS, type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Cause } from "../../core/ground/cause-code.ts";
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
 * W15: answers in the API's envelope what Node would answer by itself or not at all: parse errors, header
 * sections that are too long or too late, and CONNECT. While an earlier request of the connection is being
 * answered, that answer is finished, and the connection is ended without an error response, which the client
 * could take for that answer.
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
    endGently(socket, rawResponse(refusal, id, route === "legacy" ? legacyHeaders : ""));
    onRefusal({ requestId: id, route, status: errorStatus(refusal.code), cause: refusal.cause });
  }

  server.on("clientError", (error: ClientError, socket) => {
    if (!(socket instanceof Socket)) return;
    // No answer is sent to a client that is gone. Neither is one sent to a client that has not sent a byte,
    // since it could take the answer for one to its first request.
    if (!socket.writable || socket.bytesRead === 0 || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    // RFC 9112 section 9.6: bytes after a request that said `Connection: close` are ignored.
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    const { code = error.message, rawPacket = Buffer.of() } = error;
    const head = refusedHead(rawPacket);
    const requestId = refusedRequestId(head, socket.bytesRead === rawPacket.length);
    const byMethod = methodCodes.has(code) ? methodRefusal(head) : undefined;
    if (byMethod !== undefined) refuse(socket, requestId, byMethod.refusal, byMethod.route);
    else refuse(socket, requestId, malformedMessage(code), "unknown");
  });

  server.on("connect", (request, socket) => {
    if (!(socket instanceof Socket)) return;
    const values = request.headersDistinct["x-request-id"] ?? [];
    const { code, headers } = wrongMethod;
    const refusal = new Refusal(code, { code: "wrong_method", text: "CONNECT" }, headers);
    refuse(socket, requestIdOf(values), refusal, "unknown");
  });
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** `isWhole`: the packet is the connection's first. Only then it surely has all of its header lines. */
export function refusedRequestId({ requestLine, rawHeaders }: RefusedHead, isWhole: boolean): string {
  const isTrusted = isWhole || requestLine !== undefined;
  return requestIdOf(isTrusted ? requestHead(rawHeaders).requestId : []);
}

/** The answer as text for the socket, since a refused request has no `ServerResponse`. */
function rawResponse({ code, headers }: Refusal, requestId: string, extraHeaders: string): string {
  const body = errorEnvelope(code, requestId);
  const status = errorStatus(code);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${requestId}\r\n${headers}${extraHeaders}`;
  const date = new Date().toUTCString();
  return `${head}Content-Length: ${body.length}\r\nDate: ${date}\r\nConnection: close\r\n\r\n${body}`;
}

/** The parser's codes for unknown methods. The last two are for RTSP's and HTTP/2's preface. */
const methodCodes = new Set(["HPE_INVALID_METHOD", "HPE_INVALID_CONSTANT", "HPE_INVALID_VERSION"]);
/** Methods that the parser accepts in HTTP. A message with one of them has another fault. */
const knownMethods = new Set(METHODS);

/**
 * W13: checks 1 to 3 for a request that Node's parser refused for its method alone: 405 on a resource, 404
 * elsewhere; `undefined` unless the message is as well formed as one that the parser accepts, since the first
 * check comes before the third.
 */
export function methodRefusal({ requestLine, rawHeaders, isWellFormed, isComplete }: RefusedHead) {
  if (requestLine === undefined || !isWellFormed || knownMethods.has(requestLine.method)) return undefined;
  const { hostCount } = requestHead(rawHeaders);
  // A header section that continues in another packet may have its Host line there.
  const isHostless = hostCount === 0 && !isComplete;
  if (messageRefusal(requestLine.httpVersion, isHostless ? 1 : hostCount) !== undefined) return undefined;
  // RFC 9112 section 6.3: a message that states its length in two ways may look like two messages to a proxy.
  const framings = rawHeaders.filter((name, at) => at % 2 === 0 && framingPattern.test(name));
  if (framings.length > 1) return undefined;
  const resource = requestTarget(requestLine.target);
  const refusal = admittedResource(resource, requestLine.method);
  if (resource.kind === "malformed" || !(refusal instanceof Refusal)) return undefined;
  return { refusal, route: resource.kind satisfies Route };
}

/**
 * The readable parts of a request, from the packet in which Node's parser gave up. A last line that the
 * packet cuts off is not read, since its missing part could change its meaning.
 */
export function refusedHead(packet: Uint8Array) {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  // RFC 9112 section 2.2: empty lines before a request are passed over.
  const text = bytes.toString("latin1").replace(/^(?:\r?\n)+/, "");
  const end = text.search(/\n\r?\n/);
  const head = text.slice(0, end === -1 ? text.lastIndexOf("\n") + 1 : end + 1);
  const [first = "", ...fields] = head.split(/\r?\n/).slice(0, -1);
  const [, method, target, httpVersion] = requestLinePattern.exec(first) ?? [];
  const hasRequestLine = method !== undefined && target !== undefined && httpVersion !== undefined;
  const rawHeaders = fields
    .filter((line) => line.includes(":"))
    .flatMap((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  return {
    /** The first line, if it is a request line. */
    requestLine: hasRequestLine ? { method, target, httpVersion } : undefined,
    /** As Node's parser gives them: name, value, name, value, ... */
    rawHeaders,
    /** Each line in the packet is what HTTP allows, and the section is not too long. */
    isWellFormed:
      fields.every((line) => fieldPattern.test(line)) &&
      !bareLinePattern.test(head) &&
      head.length <= maxHeaderBytes,
    /** The packet holds the end of the header section. */
    isComplete: end !== -1,
  };
}

type RefusedHead = ReturnType<typeof refusedHead>;

/** The same bound as for every request. */
const maxHeaderBytes = 16 * 1024;

// W63: these bytes may be an attacker's. No repeated class can match what follows it: time is linear.
/** RFC 9112 section 3: three parts, one space between them. */
const requestLinePattern = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/(\d\.\d)$/;
/** RFC 9112 section 5, without folding and without control characters other than tabs. */
const fieldPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
const bareLinePattern = /(?:^|[^\r])\n/;
const framingPattern = /^(?:content-length|transfer-encoding)$/i;
