import { type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Cause } from "../core/cause-code.ts";
import { type Connections, endGently, isAnswering } from "./connections.ts";
import type { Route } from "./exchange.ts";
import { errorEnvelope, errorStatus, malformedMessage, Refusal, wrongMethod } from "./refusal.ts";
import { refusedHead } from "./refused-head.ts";
import { methodRefusal } from "./refused-method.ts";
import { refusedRequestId, requestIdOf } from "./request-head.ts";

/** A request that never became one. */
export interface ConnectionRefusal {
  readonly requestId: string;
  readonly route: Route;
  readonly status: number;
  /** For the log. Its text is the parser's or the system's code, never bytes of the client. */
  readonly cause: Cause;
}

/**
 * W15: answers in the API's envelope what Node would answer by itself, or not at all: parse errors, overlong and late
 * header sections, CONNECT. While an earlier request of the connection is being answered, that answer is finished
 * and the connection ended instead, so that the error can never be taken for it.
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
    // An error within a body that is thrown away concerns the very request that nobody has answered yet.
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
    // Nothing to answer: the client is gone, or it never said a word (then a later request of its own could take
    // an unasked answer for its).
    if (!socket.writable || socket.bytesRead === 0 || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    // RFC 9112 section 9.6: what follows a request that said `Connection: close` is not looked at.
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    // The parser goes on complaining about each packet that follows.
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

/** Written to the socket, since there is no `ServerResponse` for a request that is none. */
function rawResponse({ code, headers }: Refusal, requestId: string, extraHeaders: string): string {
  const body = errorEnvelope(code, requestId);
  const status = errorStatus(code);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${requestId}\r\n${headers}${extraHeaders}`,
    `Content-Length: ${Buffer.byteLength(body)}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n`,
  ];
  return lines.join("") + body;
}
