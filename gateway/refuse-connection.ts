import { type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Cause } from "../core/cause-code.ts";
import { type Connections, endGently, isAnswering } from "./connections.ts";
import type { Route } from "./exchange.ts";
import { errorEnvelope, errorStatus, malformedMessage, Refusal, wrongMethod } from "./refusal.ts";
import { refusedHead } from "./refused-head.ts";
import { methodRefusal } from "./refused-method.ts";
import { refusedRequestId, requestIdOf } from "./request-head.ts";

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
export function refuseOnError(
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
