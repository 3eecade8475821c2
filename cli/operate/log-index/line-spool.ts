import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import { Failure } from "../../../core/failure.ts";

/**
 * A temporary file to append to and to read from. Its name is removed as soon as it is open, so nobody else can open it,
 * and the system deletes it however this process ends. Calls are synchronous, because the page cache answers them.
 */
export class SpoolFile implements Disposable {
  readonly #descriptor: number;
  #size = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "partner-programs-log-"));
    try {
      this.#descriptor = openSync(join(folder, "spool"), "wx+", 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Appends the bytes and returns their position. */
  append(bytes: Uint8Array): number {
    const at = this.#size;
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, at + done);
    }
    this.#size += bytes.length;
    return at;
  }

  read(at: number, into: Uint8Array): void {
    for (let done = 0; done < into.length; ) {
      const count = readSync(this.#descriptor, into, done, into.length - done, at + done);
      if (count === 0) throw new Error("the spool of the log is shorter than it was");
      done += count;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

/** The gateway writes no longer lines. */
export const maxLineBytes = 64 * 1024;

const chunkBytes = 128 * 1024;
/** So many chunks may be compressed at a time, on other threads. */
const maxInFlight = 4;
const compressed = promisify(deflateRaw);

interface StoredChunk {
  readonly at: number;
  readonly length: number;
}

/**
 * The indexed lines, compressed in chunks. The index needs a copy of its own, because logs are renamed, truncated,
 * compressed and deleted while it is in use.
 */
export class LineSpool implements Disposable {
  readonly #file = new SpoolFile();
  /** The chunks by number. A chunk is a buffer until it is compressed. */
  readonly #chunks: (StoredChunk | Buffer)[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #current = Buffer.allocUnsafe(chunkBytes);
  #used = 0;
  #isDisposed = false;
  #failure: Failure | undefined;
  /** The chunk that was read last, since the lines of a page are often in one chunk. */
  #opened: { readonly chunk: number; readonly text: Buffer } | undefined;

  /** `chunk` and `at` are the place of the next line. */
  get chunk(): number {
    return this.#chunks.length;
  }

  get at(): number {
    return this.#used;
  }

  get bytes(): number {
    return this.#file.size;
  }

  /** Appends a line with a line feed. Its place is what `chunk` and `at` were before the call. */
  append(line: Uint8Array): void {
    this.#current.set(line, this.#used);
    this.#used += line.length;
    this.#current[this.#used] = lineFeed;
    this.#used += 1;
  }

  /** Makes room for a line, and waits while too much is being compressed. To be called before each line. */
  async room(bytes: number): Promise<void> {
    if (this.hasRoom(bytes)) return;
    // A chunk that could not be written stays in memory, so no further line is taken.
    if (this.#failure !== undefined) throw this.#failure;
    this.seal();
    while (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure;
  }

  hasRoom(bytes: number): boolean {
    return this.#used + bytes + 1 <= chunkBytes;
  }

  /** Starts compressing the chunk that is being filled. */
  seal(): void {
    if (this.#used === 0) return;
    const number = this.#chunks.length;
    const text = this.#current.subarray(0, this.#used);
    this.#chunks.push(text);
    this.#current = Buffer.allocUnsafe(chunkBytes);
    this.#used = 0;
    const work = compressed(text, { level: 1 })
      .then((bytes) => {
        if (this.#isDisposed) return;
        this.#chunks[number] = { at: this.#file.append(bytes), length: bytes.length };
      })
      .catch((error: unknown) => {
        this.#failure = spoolFailure(error);
      })
      .finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  line(chunk: number, at: number): string {
    const text = this.#text(chunk);
    return text.toString("utf8", at, text.indexOf(lineFeed, at));
  }

  #text(chunk: number): Buffer {
    if (chunk === this.#chunks.length) return this.#current.subarray(0, this.#used);
    if (this.#opened?.chunk === chunk) return this.#opened.text;
    const stored = this.#chunks[chunk];
    if (stored === undefined) throw new Error("no such chunk of the log");
    if (Buffer.isBuffer(stored)) return stored;
    const bytes = Buffer.allocUnsafe(stored.length);
    this.#file.read(stored.at, bytes);
    const text = inflateRawSync(bytes);
    this.#opened = { chunk, text };
    return text;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#file[Symbol.dispose]();
  }
}

const lineFeed = 0x0a;

function spoolFailure(error: unknown): Failure {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return new Failure(
    "usage",
    `The index of the log can't be written to the temporary folder ${tmpdir()} (${code}); it needs about a quarter of the log's size. TMPDIR names another one.`,
    { cause: error },
  );
}
