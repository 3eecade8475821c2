import type { FileHandle } from "node:fs/promises";
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

/**
 * Reads the whole lines before `end` in steps of a megabyte, the last step first, so that the newest requests of a large log
 * are known soon. `take` gets the place at which its lines begin, and returns whether the lines before it are wanted, too.
 */
export async function readLinesBack(
  file: FileHandle,
  end: number,
  take: (lines: Buffer, from: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (let until = end; until > 0; ) {
    signal.throwIfAborted();
    const start = Math.max(0, until - backBytes);
    const bytes = await bytesOf(file, start, until);
    // A line that begins before this step belongs to the step before. One without a beginning in a whole step is too long.
    const from = start === 0 ? 0 : bytes.indexOf(lineFeed) + 1;
    const isTooLong = start > 0 && (from === 0 || from === bytes.length);
    until = isTooLong ? start : start + from;
    if (!isTooLong && !(await take(bytes.subarray(from), until))) return;
  }
}

/** The place after the last line feed before `end`; 0 when there is none in the last megabyte. */
export async function wholeLinesEnd(file: FileHandle, end: number): Promise<number> {
  const start = Math.max(0, end - backBytes);
  const last = (await bytesOf(file, start, end)).lastIndexOf(lineFeed);
  return last === -1 ? 0 : start + last + 1;
}

/** The bytes of a file from `start` to `end`, or to the file's end. */
async function bytesOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
  return buffer.subarray(0, bytesRead);
}

const lineFeed = 0x0a;
const maxLineBytes = 1024 * 1024;
const empty = Buffer.alloc(0);
const backBytes = 1024 * 1024;
