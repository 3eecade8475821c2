/** Requests of one connection that were pipelined behind the one that is being answered. */
export interface WaitingRequests {
  /** `bytesRead` is what the connection has sent so far. `false`: there are more than a connection may have waiting. */
  add(bytesRead: number): boolean;
  /** The first one's turn has come. */
  takeFirst(): void;
}

/**
 * W61: each waiting request is some 2 KiB of memory besides its bytes, bodies included, so both are bounded. Above a bound the
 * connection is to be destroyed: Node reads on even from a paused one, and nothing else stops a client that sends faster
 * than it reads.
 */
export function createWaitingRequests(): WaitingRequests {
  /** For each, what the connection had sent by then. */
  const marks: number[] = [];
  return {
    add(bytesRead) {
      marks.push(bytesRead);
      return marks.length <= maxWaiting && bytesRead - (marks[0] ?? 0) <= maxWaitingBytes;
    },
    takeFirst() {
      marks.shift();
    },
  };
}

/** Clients that pipeline at all send some dozens; one that sends more has its rest answered on another connection. */
const maxWaiting = 256;
/** Beyond the chunk of at most 64 KiB in which the first of them came. */
const maxWaitingBytes = 256 * 1024;
