import type { Server, ServerResponse } from "node:http";
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
 * then only concludes the response.
 * Held by `wire-headers.test.ts` and `wire-message.test.ts`.
 */
export function noteHeadSent(res: ServerResponse, head: string): void {
  Object.assign(res, { _header: head, _headerSent: true });
}
