import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { addAbortSignal, Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { Failure } from "../../../core/failure.ts";

/** A log: the file `name`, or standard input when the name is `-`. */
export interface LogSource {
  readonly name: string;
  readonly stdin: AsyncIterable<Uint8Array>;
}

/**
 * Streams the text of a log and decompresses it. gzip and zstd are recognised by their first bytes. Brotli has no such mark, so
 * it is recognised by the ending `.br`. `start`: the first byte to be read of a plain log. Throws `usage` when the log can't be read or
 * decompressed.
 */
export async function* openLog(
  { name, stdin }: LogSource,
  signal: AbortSignal,
  start = 0,
): AsyncGenerator<Uint8Array> {
  const raw = name === "-" ? stdin : createReadStream(name, { start, highWaterMark: readBytes });
  // A pipe may bring nothing for hours without ending, so the signal has to end the reading.
  if (raw instanceof Readable) addAbortSignal(signal, raw);
  const chunks = raw[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    if (first.done === true) return;
    const all = resumed(first.value, chunks);
    const decoder = decoderOf(name, first.value);
    if (decoder === undefined) yield* all;
    else yield* decoded(all, decoder, signal);
  } catch (error) {
    if (signal.aborted) throw new Failure("interrupted", "Interrupted.", { cause: error });
    throw readFailure(name, error);
  } finally {
    await chunks.return?.();
  }
}

const readBytes = 256 * 1024;

async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  decoder: Transform,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // A failure of either end destroys the decoder, so the loop below throws it.
  const done = pipeline(Readable.from(chunks), decoder, { signal });
  done.catch(() => {});
  for await (const chunk of decoder as AsyncIterable<Uint8Array>) yield chunk;
  await done;
}

async function* resumed(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** The first bytes of a gzip file (RFC 1952, section 2.3.1) and of a zstd file (RFC 8878, section 3.1.1). */
const gzipMark = [0x1f, 0x8b];
const zstdMark = [0x28, 0xb5, 0x2f, 0xfd];

/** A log as a file; `undefined` for a pipe or a folder, of which nothing is known before it is read. Throws `usage`. */
export async function logFile(name: string) {
  try {
    const found = await stat(name);
    if (!found.isFile()) return undefined;
    await using file = await open(name);
    const { buffer: first } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const isCompressed = startsWith(first, gzipMark) || startsWith(first, zstdMark) || name.endsWith(".br");
    const { dev, ino, size, mtimeMs } = found;
    return { identity: `${dev} ${ino}`, size, modifiedMs: mtimeMs, isCompressed };
  } catch (error) {
    throw readFailure(name, error);
  }
}

function decoderOf(name: string, first: Uint8Array): Transform | undefined {
  if (startsWith(first, gzipMark)) return zlib.createGunzip();
  if (startsWith(first, zstdMark)) return zstdDecoder(name);
  return name.endsWith(".br") ? zlib.createBrotliDecompress() : undefined;
}

/** Node.js has a zstd decoder since 22.15. */
function zstdDecoder(name: string): Transform {
  const create: unknown = Reflect.get(zlib, "createZstdDecompress");
  if (typeof create === "function") return create();
  throw new Failure(
    "usage",
    `${name} is compressed with zstd, which this Node.js (${process.version}) cannot read: pipe it in, \`zstd -dc ${name} | partner-programs ... --log -\`.`,
  );
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}

function readFailure(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const what = name === "-" ? "Standard input" : name;
  if (/^(Z_|ERR_|ZSTD)/.test(code)) {
    const why = code === "Z_BUF_ERROR" ? "ends early" : "is damaged";
    return new Failure("usage", `${what} ${why}: it could not be decompressed (${code}).`, { cause: error });
  }
  return new Failure("usage", `${what} could not be read (${code || String(error)}). Check --log.`, {
    cause: error,
  });
}
