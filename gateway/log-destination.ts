import { writeSync, writev } from "node:fs";
import { settledWithin } from "./deadline.ts";

/**
 * Takes log lines into memory and writes them in the background, so that no request waits for the disk.
 *
 * `sonic-boom` (4.2.1), which pino brings, is not used: after an error such as EPIPE its `flushSync` never returns, so a
 * gateway whose standard output is closed would not exit. It also keeps lines that can never be written, and `drop`
 * does not report them, so they would be missing from `gateway_log_lines_lost_total`.
 */
export interface LogDestination {
  write(line: string): void;
  /**
   * Resolves when all lines are written, or after `maxMs`. Callers that can wait await it before `flushSync`, which writes again
   * the lines that are being written in the background.
   */
  flush(maxMs: number): Promise<void>;
  /** Writes what is left before the process ends, trying for at most `maxMs`. */
  flushSync(maxMs: number): void;
}

/**
 * Writes lines to a file descriptor. When its reader stops, at most `maxPendingBytes` of lines are kept, and further ones are
 * counted as lost: a full disk or a stalled pipe must neither stop the gateway nor fill its memory.
 */
export function createLogDestination(options: {
  readonly fd: number;
  readonly maxPendingBytes: number;
  readonly onLost: (lines: number) => void;
}): LogDestination {
  const { fd, maxPendingBytes, onLost } = options;
  let filling = newBlock();
  /** Blocks in the order of their lines. The first ones may be under way to the file. */
  const waiting: Block[] = [];
  let waitingBytes = 0;
  /** A written block to be filled again. A new block for each batch would keep the garbage collector busy. */
  let spare: Block | undefined;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let onAllWritten: (() => void) | undefined;

  function sealBlock(): void {
    if (filling.to === 0) return;
    waiting.push(filling);
    waitingBytes += filling.to;
    filling = spare ?? newBlock();
    spare = undefined;
  }

  function nextBlock(): Block | undefined {
    if (waiting.length === 0) sealBlock();
    return waiting[0];
  }

  function dropFirst(block: Block): void {
    waiting.shift();
    waitingBytes -= block.to - block.from;
    if (block.bytes.length === blockBytes) spare = { bytes: block.bytes, from: 0, to: 0 };
  }

  function noteWritten(bytes: number): void {
    let left = bytes;
    for (let block = waiting[0]; block !== undefined && left > 0; block = waiting[0]) {
      const taken = Math.min(left, block.to - block.from);
      left -= taken;
      if (block.from + taken === block.to) dropFirst(block);
      else {
        block.from += taken;
        waitingBytes -= taken;
      }
    }
  }

  /**
   * Writes all waiting blocks at once. The next write can begin only in another turn of the event loop, and with many clients
   * each turn makes more lines than a block holds.
   */
  function writeBlocks(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    const first = nextBlock();
    const last = waiting.at(-1);
    if (first === undefined || last === undefined) {
      onAllWritten?.();
      return;
    }
    isWriting = true;
    const pieces = waiting.map(({ bytes, from, to }) => bytes.subarray(from, to));
    writev(fd, pieces, null, (error, written) => {
      isWriting = false;
      // `flushSync` has written these blocks meanwhile.
      if (waiting[0] !== first) return;
      const isForGood = error !== null && !isBusy(error);
      if (error === null) noteWritten(written);
      else if (isForGood) giveUp(first);
      if (!isForGood && waiting.includes(last)) schedule(busyRetryMs);
      else if (waiting.length > 0 || filling.to >= batchBytes || onAllWritten !== undefined) writeBlocks();
      else if (filling.to > 0) schedule(maxDelayMs);
    });
  }

  /** Drops a block that nobody will ever read (EPIPE, EBADF) or that finds no room (ENOSPC). */
  function giveUp(block: Block): void {
    onLost(block.bytes.toString("latin1", block.from, block.to).split("\n").length - 1);
    dropFirst(block);
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(writeBlocks, delayMs).unref();
  }

  return {
    write(line) {
      if (waitingBytes + filling.to + line.length > maxPendingBytes) {
        onLost(1);
        return;
      }
      const maxBytes = line.length * 3;
      if (filling.to + maxBytes > filling.bytes.length) {
        sealBlock();
        if (maxBytes > filling.bytes.length) filling = newBlock(maxBytes);
      }
      filling.to += filling.bytes.write(line, filling.to);
      if (filling.to >= batchBytes && waiting.length === 0) writeBlocks();
      else schedule(maxDelayMs);
    },

    flush(maxMs) {
      const written = new Promise<void>((resolve) => {
        onAllWritten = resolve;
      });
      writeBlocks();
      return settledWithin(maxMs, written);
    },

    flushSync(maxMs) {
      const endsAt = Date.now() + maxMs;
      for (let block = nextBlock(); block !== undefined && Date.now() < endsAt; block = nextBlock()) {
        try {
          noteWritten(writeSync(fd, block.bytes, block.from, block.to - block.from));
        } catch (error) {
          if (!isBusy(error)) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs);
        }
      }
    },
  };
}

/** Lines as bytes. The bytes before `from` are written. */
interface Block {
  readonly bytes: Buffer;
  from: number;
  to: number;
}

function newBlock(size = blockBytes): Block {
  return { bytes: Buffer.allocUnsafeSlow(size), from: 0, to: 0 };
}

const batchBytes = 64 * 1024;
/** A batch, and room for the line that completes it. */
const blockBytes = 80 * 1024;
const maxDelayMs = 100;
const busyRetryMs = 20;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}
