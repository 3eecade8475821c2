import type { FileHandle } from "node:fs/promises";

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
 * Reads a file, which may be growing, from `position` to its present end, in blocks of whole lines. Returns the new
 * position. An unfinished line is left for the next call.
 */
export async function readLines(
  file: FileHandle,
  position: number,
  take: (lines: Buffer) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  let end = position;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (true) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes, end);
      if (bytesRead === 0) return;
      end += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
  for await (const block of wholeLines(chunks())) {
    if (block.at(-1) !== lineFeed) return end - block.length;
    await take(block);
  }
  return end;
}

/** The first bytes of a file. */
export async function beginningOf(file: FileHandle, bytes: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

const lineFeed = 0x0a;
const maxLineBytes = 1024 * 1024;
const empty = Buffer.alloc(0);
const readBytes = 256 * 1024;
