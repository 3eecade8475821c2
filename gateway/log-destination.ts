import { write, writeSync } from "node:fs";

/** Where log lines go: gathered in memory and written in the background, so that no request waits for the disk. */
export interface LogDestination {
  write(line: string): void;
  /** Writes what is left before the process ends, trying for at most `maxMs`. */
  flushSync(maxMs: number): void;
}

/**
 * Lines for a file descriptor. When whoever reads them stops, at most `maxPendingBytes` of them are kept and further
 * ones are counted as lost: a full disk or a stalled pipe must neither stop the gateway nor fill its memory.
 */
export function createLogDestination(options: {
  readonly fd: number;
  readonly maxPendingBytes: number;
  readonly onLost: (lines: number) => void;
}): LogDestination {
  const { fd, maxPendingBytes, onLost } = options;
  let filling = newBlock();
  /** Blocks in the order of their lines; the first is the one that is being written. */
  const waiting: Block[] = [];
  let waitingBytes = 0;
  /** Written, to be filled again: a new block for each batch would keep the garbage collector busy. */
  let spare: Block | undefined;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

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

  function noteWritten(block: Block, bytes: number): void {
    if (block.from + bytes === block.to) dropFirst(block);
    else {
      block.from += bytes;
      waitingBytes -= bytes;
    }
  }

  function writeBlock(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    const block = nextBlock();
    if (block === undefined) return;
    isWriting = true;
    write(fd, block.bytes, block.from, block.to - block.from, null, (error, written) => {
      isWriting = false;
      // Written meanwhile by `flushSync`.
      if (waiting[0] !== block) return;
      if (error === null) noteWritten(block, written);
      else if (!isBusy(error)) giveUp(block);
      if (waiting[0] === block) schedule(busyRetryMs);
      else if (waiting.length > 0 || filling.to >= batchBytes) writeBlock();
      else if (filling.to > 0) schedule(maxDelayMs);
    });
  }

  /** Nobody will ever read this (EPIPE, EBADF) or there is no room for it (ENOSPC). */
  function giveUp(block: Block): void {
    onLost(block.bytes.toString("latin1", block.from, block.to).split("\n").length - 1);
    dropFirst(block);
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(writeBlock, delayMs).unref();
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
      if (filling.to >= batchBytes && waiting.length === 0) writeBlock();
      else schedule(maxDelayMs);
    },

    flushSync(maxMs) {
      const endsAt = Date.now() + maxMs;
      for (let block = nextBlock(); block !== undefined && Date.now() < endsAt; block = nextBlock()) {
        try {
          noteWritten(block, writeSync(fd, block.bytes, block.from, block.to - block.from));
        } catch (error) {
          if (!isBusy(error)) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs);
        }
      }
    },
  };
}

/** Lines as bytes; those before `from` are written. */
interface Block {
  readonly bytes: Buffer;
  from: number;
  to: number;
}

function newBlock(size = blockBytes): Block {
  return { bytes: Buffer.allocUnsafeSlow(size), from: 0, to: 0 };
}

const batchBytes = 64 * 1024;
/** With room for the line that makes a batch full. */
const blockBytes = 80 * 1024;
const maxDelayMs = 100;
const busyRetryMs = 20;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EBUSY");
}
