import { asFailure } from "../../../core/failure.ts";
import { type LogSource, openLog } from "./open-log.ts";

/**
 * Passes the logs to `take` one after the other, in blocks of whole lines. When one of several logs is cut off or missing, the
 * others are read all the same; the result says why. A single log throws instead.
 */
export async function readLogs(
  logs: readonly LogSource[],
  take: (lines: Buffer) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const log of logs) {
    try {
      for await (const block of wholeLines(openLog(log, signal))) take(block);
    } catch (error) {
      const { code, message } = asFailure(error);
      if (code !== "usage" || logs.length === 1) throw error;
      faults.push(message);
    }
  }
  return faults;
}

/**
 * Cuts a stream into blocks of whole lines. Each block ends with a line feed, except perhaps the last. A search through
 * gigabytes can look at whole blocks, and split only those that may hold a match. Lines longer than 1 MiB, which the
 * gateway never writes, are dropped, so that memory stays bounded.
 */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = empty;
  let isTooLong = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const from = isTooLong ? bytes.indexOf(lineFeed) + 1 : 0;
      isTooLong = false;
      const block = Buffer.concat([rest, bytes.subarray(from, end)]);
      rest = Buffer.from(bytes.subarray(end));
      if (block.length > 0) yield block;
    } else if (!isTooLong) {
      rest = Buffer.concat([rest, bytes]);
    }
    if (rest.length > maxLineBytes) {
      rest = empty;
      isTooLong = true;
    }
  }
  if (rest.length > 0) yield rest;
}

const lineFeed = 0x0a;
const maxLineBytes = 1024 * 1024;
const empty = Buffer.alloc(0);
