import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { addAbortSignal, pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { asFailure, Failure } from "../../../core/ground/failure.ts";

/** A log: the file `name`, or standard input when the name is `-`. */
export interface LogSource {
  readonly name: string;
  readonly stdin: AsyncIterable<Uint8Array>;
}

/**
 * Streams the text of a log, plain or gzip. `start`: the first byte to be read of a plain log. Throws `usage`
 * when the log can't be read or decompressed.
 */
export async function* openLog(
  { name, stdin }: LogSource,
  signal: AbortSignal,
  start = 0,
): AsyncGenerator<Uint8Array> {
  const raw = name === "-" ? stdin : createReadStream(name, { start, highWaterMark: 256 * 1024 });
  // A pipe may bring nothing for hours without ending, so the signal has to end the reading.
  if (raw instanceof Readable) addAbortSignal(signal, raw);
  const chunks = raw[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    if (first.done === true) return;
    const all = resumed(first.value, chunks);
    if (!isGzip(first.value)) return yield* all;
    // A failure of either end destroys the decoder, so the loop throws it.
    yield* pipeline(Readable.from(all), createGunzip(), () => {}) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (signal.aborted) throw new Failure("interrupted", "Interrupted.", { cause: error });
    throw readFailure(name, error);
  } finally {
    await chunks.return?.();
  }
}

async function* resumed(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** RFC 1952, section 2.3.1. */
function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

/** A log as a file; `undefined` for a pipe or folder, known only once it is read. Throws `usage`. */
export async function logFile(name: string) {
  try {
    const found = await stat(name);
    if (!found.isFile()) return undefined;
    const { dev, ino, size, mtimeMs: modifiedMs } = found;
    await using file = await open(name);
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return { identity: `${dev} ${ino}`, size, modifiedMs, isCompressed: isGzip(buffer) };
  } catch (error) {
    throw readFailure(name, error);
  }
}

function readFailure(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const what = name === "-" ? "Standard input" : name;
  const damage = code === "Z_BUF_ERROR" ? "ends early" : "is damaged";
  const text = /^(Z_|ERR_)/.test(code)
    ? `${what} ${damage}: it could not be decompressed (${code}).`
    : `${what} could not be read (${code || String(error)}). Check --log.`;
  return new Failure("usage", text, { cause: error });
}

/**
 * Passes the logs to `take` one after the other, in blocks of whole lines. When one of several logs is cut
 * off or missing, the others are read all the same; the result says why. A single log throws instead.
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
 * Cuts a stream into blocks of whole lines. Each block ends with a line feed, except perhaps the last. A
 * search through gigabytes can look at whole blocks, and split only those that may hold a match. Lines longer
 * than 1 MiB, which the gateway never writes, are dropped, so that memory stays bounded.
 */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
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
    isTooLong ||= rest.length > maxLineBytes;
    if (isTooLong) rest = Buffer.alloc(0);
  }
  if (rest.length > 0) yield rest;
}

const lineFeed = 0x0a;
const maxLineBytes = 1024 * 1024;
