import type { ServerResponse } from "node:http";

/** How long a client may take to accept a response. */
export interface SendLimits {
  /** Milliseconds without any progress. */
  readonly stallMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
}

/**
 * Ends the connection of a client that takes its response too slowly or not at all, and calls back once when the
 * response is over. Only for responses that the operating system did not take whole at once.
 */
export function watchSending(res: ServerResponse, limits: SendLimits, over: (isCut: boolean) => void): void {
  const { socket } = res;
  const timer = setTimeout(() => socket?.destroy(), limits.totalMs);
  // Node's own listener destroys the socket; the next request or the idle time set another timeout.
  socket?.setTimeout(limits.stallMs);
  // It may still read, but most clients that close their side are gone, which shows only when bytes are sent.
  const shorten = (): void => {
    socket?.setTimeout(Math.min(limits.stallMs, halfClosedStallMs));
  };
  if (socket?.readableEnded === true) shorten();
  else socket?.once("end", shorten);
  res.once("close", () => {
    clearTimeout(timer);
    socket?.off("end", shorten);
    over(!res.writableFinished);
  });
}

const halfClosedStallMs = 1000;
