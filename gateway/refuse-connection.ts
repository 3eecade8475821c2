import { type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Cause } from "../core/cause-code.ts";
import { type Connections, endGently, isAnswering } from "./connections.ts";
import { type ErrorCode, errorEnvelope, errorStatus } from "./error-envelope.ts";
import { refusedRequestId, requestIdOf } from "./request-id.ts";

/** A request that never became one. */
export interface ConnectionRefusal {
  readonly requestId: string;
  readonly status: number;
  /** For the log. Its text is the parser's or the system's code, never bytes of the client. */
  readonly cause: Cause;
}

/**
 * Answers in the API's envelope what Node would answer by itself, or not at all: parse errors, overlong and late
 * header sections, CONNECT. While an earlier request of the connection is being answered, that answer is finished
 * and the connection ended instead, so that the error can never be taken for it.
 */
export function refuseOnError(
  server: Server,
  connections: Connections,
  onRefusal: (refusal: ConnectionRefusal) => void,
): void {
  function refuse(socket: Socket, code: ErrorCode, requestId: string, cause: Cause): void {
    const connection = connections.of(socket);
    if (connection.isEnding) return;
    connection.isEnding = true;
    const { last, ignoring } = connection;
    // An error within a body that is thrown away concerns the very request that nobody has answered yet.
    const isInBody = ignoring !== undefined && !ignoring.req.complete;
    if (!isInBody && isAnswering(connection)) {
      last?.once("close", () => endGently(socket));
      return;
    }
    connection.ignoring = undefined;
    const id = isInBody ? ignoring.requestId : requestId;
    endGently(socket, rawResponse(code, id));
    onRefusal({ requestId: id, status: errorStatus(code), cause });
  }

  server.on("clientError", (error: ClientError, socket) => {
    if (!(socket instanceof Socket)) return;
    // Nothing to answer: the client is gone, or it never said a word (then a later request of its own could take
    // an unasked answer for its).
    if (!socket.writable || socket.bytesRead === 0 || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    // RFC 9112 section 9.6: what follows a request that said `Connection: close` is not looked at.
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    const { rawPacket } = error;
    const requestId = refusedRequestId(rawPacket, socket.bytesRead === rawPacket?.length);
    const text = error.code ?? error.message;
    refuse(socket, "invalid_request", requestId, { code: "malformed_request", text });
  });

  server.on("connect", (request, socket) => {
    if (!(socket instanceof Socket)) return;
    const values = request.headersDistinct["x-request-id"] ?? [];
    refuse(socket, "method_not_allowed", requestIdOf(values), { code: "wrong_method", text: "CONNECT" });
  });
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Written to the socket, since there is no `ServerResponse` for a request that is none. */
function rawResponse(code: ErrorCode, requestId: string): string {
  const body = errorEnvelope(code, requestId);
  const status = errorStatus(code);
  const headers = [
    "X-Request-Id",
    requestId,
    "Cache-Control",
    "no-store",
    "Content-Type",
    "application/json; charset=utf-8",
    "Content-Length",
    String(Buffer.byteLength(body)),
    "Date",
    new Date().toUTCString(),
    ...(code === "method_not_allowed" ? ["Allow", "GET"] : []),
    "Connection",
    "close",
  ];
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
