import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { waitingBytes } from "./send-answer.ts";

/** How long a client may take to accept a response. */
export interface SendLimits {
  /** Milliseconds without any progress. */
  readonly stallMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
}

/**
 * W62: ends the connection of a client that reads its response too slowly or not at all, and calls `over` once when the response
 * is over. Used for responses that the operating system did not take completely at once.
 *
 * The socket's own timeout is not enough: Node lets it pass once more while a write is under way, and anything that the client
 * sends delays it. Here only bytes that the system has taken count as progress.
 */
export function watchSending(res: ServerResponse, limits: SendLimits, over: (isCut: boolean) => void): void {
  const { socket } = res;
  let { stallMs } = limits;
  let isWhole = false;
  let looking: NodeJS.Timeout | undefined;
  const total = setTimeout(() => socket?.destroy(), limits.totalMs);

  if (socket !== null) {
    let seen = progressOf(socket);
    let lookedAtMs = performance.now();
    let stalledMs = 0;
    const look = (): void => {
      const progress = progressOf(socket);
      const nowMs = performance.now();
      // If this process was held up, it gave nothing to the system. That is not the client's fault.
      stalledMs += Math.min(nowMs - lookedAtMs, (2 * stallMs) / looksPerStall);
      lookedAtMs = nowMs;
      if (progress.written !== seen.written || progress.waiting !== seen.waiting) {
        seen = progress;
        stalledMs = 0;
      } else if (stalledMs >= stallMs) {
        socket.destroy();
        return;
      }
      looking = setTimeout(look, stallMs / looksPerStall);
    };
    looking = setTimeout(look, stallMs / looksPerStall);
  }
  // A client that closed its side may still read. But most are gone, which shows only when bytes are sent.
  const shorten = (): void => {
    stallMs = Math.min(stallMs, halfClosedStallMs);
  };
  if (socket?.readableEnded === true) shorten();
  else socket?.once("end", shorten);
  // Node emits `finish` even if the connection was destroyed before the last bytes were sent.
  res.prependOnceListener("finish", () => {
    isWhole = socket?.destroyed === false;
  });
  res.once("close", () => {
    clearTimeout(total);
    clearTimeout(looking);
    socket?.off("end", shorten);
    over(!isWhole);
  });
}

const halfClosedStallMs = 2000;
/** A stalled client is cut at most an eighth of the limit late. */
const looksPerStall = 8;

interface Progress {
  /** Bytes of the writes that are done. */
  readonly written: number;
  /** Bytes of the write under way that the system has not taken yet. */
  readonly waiting: number;
}

function progressOf(socket: Socket): Progress {
  return { written: socket.bytesWritten - socket.writableLength, waiting: waitingBytes(socket) };
}
