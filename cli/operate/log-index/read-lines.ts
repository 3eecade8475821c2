import type { FileHandle } from "node:fs/promises";
import { wholeLines } from "../gateway-log/whole-lines.ts";

const readBytes = 256 * 1024;
const lineFeed = 0x0a;

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
