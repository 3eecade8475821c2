import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

// All that the gateway takes from Node without Node documenting it. Each part says what it is for, what it gains, and which
// test fails when a new version of Node does it otherwise.

/**
 * Lets a client that has closed its side (`printf ... | nc`) wait for its answer. Node has no option for it: without this a
 * request is answered only if that takes no time at all.
 * Held by `wire-message.test.ts`.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Stops accepting connections and ends none; `onClosed` is called when all have ended. The `close` of `http.Server` itself
 * would begin by cutting answers that clients are still reading.
 * Held by `connections.test.ts`.
 */
export function stopAccepting(server: Server, onClosed: () => void): void {
  NetServer.prototype.close.call(server, onClosed);
}

/**
 * Bytes of the write under way that the system has not taken yet. A large body is one write; only this shows that its
 * client still reads. Node's own socket timeout looks at the same field.
 * Held by `stalled-readers.test.ts`.
 */
export function waitingBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}

/**
 * Notes what Node itself notes of a response whose head is out, for a head that was written to the socket as it is; `end`
 * then only concludes the response. With Node's own `writeHead` and `end` a short request takes 1.4 times the processor time
 * (`npm run bench:still-pays`).
 * Held by `wire-headers.test.ts` and `wire-message.test.ts`.
 */
export function noteHeadSent(res: ServerResponse, head: string): void {
  Object.assign(res, { _header: head, _headerSent: true });
}

/**
 * A class of responses that calls `onOut` when Node takes the connection from a response, which is wholly out then. A listener
 * for `close` on each response took 5 to 10 percent more processor time per short request.
 * Held by `api-server.test.ts`.
 */
export function reportingResponse(
  onOut: (res: ServerResponse, socket: Socket) => void,
): typeof ServerResponse {
  return class Response<Message extends IncomingMessage = IncomingMessage> extends ServerResponse<Message> {
    // A body that is shorter or longer than announced would slide into the next response.
    override strictContentLength = true;

    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      onOut(this, socket);
    }
  };
}
