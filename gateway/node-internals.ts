import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

// Everything undocumented that the gateway uses of Node. Each part says what it is for, what it gains, and which test fails
// when a new version of Node changes it.

/**
 * Lets a client that has closed its side (`printf ... | nc`) get its answer. By default Node gives such a client only an answer
 * that is ready at once, and it has no documented option for this.
 * Tested by `wire-message.test.ts`.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Stops accepting connections and ends none. `onClosed` is called when all have ended. The `close` of `http.Server` itself
 * would cut answers that clients are still reading.
 * Tested by `connections.test.ts`.
 */
export function stopAccepting(server: Server, onClosed: () => void): void {
  NetServer.prototype.close.call(server, onClosed);
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
 * Sets what Node sets on a response whose head is sent, for a head that we wrote to the socket ourselves. `end` then only
 * concludes the response. With Node's own `writeHead` and `end` a short request takes 1.4 times the processor time
 * (`npm run bench:still-pays`).
 * Tested by `wire-headers.test.ts` and `wire-message.test.ts`.
 */
export function noteHeadSent(res: ServerResponse, head: string): void {
  Object.assign(res, { _header: head, _headerSent: true });
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
