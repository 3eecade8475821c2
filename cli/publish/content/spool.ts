import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../../core/failure.ts";
import type { ObjectBody } from "../../../core/object-store.ts";

/** Up to this size a spool stays in memory; a longer one is written to its file in pieces of this size. */
const maxBytesInMemory = 512 * 1024;
const firstBufferBytes = 16 * 1024;
/** No UTF-16 code unit takes more in UTF-8. */
const maxBytesPerUnit = 3;

/**
 * An append-only text, as UTF-8, that moves to a temporary file when it grows: what lets a list of 100,000 programs be
 * sorted, hashed and uploaded in a megabyte of memory. All of it goes through one buffer: one for each piece would leave
 * hundreds of thousands behind, which the garbage collector is slow to find. File calls are synchronous on purpose: they
 * hit the page cache, and 100,000 asynchronous ones would cost twenty times as much.
 */
export class Spool implements Disposable {
  readonly #hash = createHash("sha256");
  /** What follows the bytes in the file. */
  #buffer = Buffer.alloc(0);
  #buffered = 0;
  #written = 0;
  #file: { readonly descriptor: number; readonly folder: string; readonly path: string } | undefined;

  /** In bytes. */
  get size(): number {
    return this.#written + this.#buffered;
  }

  append(text: string): void {
    if (this.#buffered + text.length * maxBytesPerUnit > this.#buffer.length) {
      this.#makeRoom(Buffer.byteLength(text));
    }
    this.#buffered += this.#buffer.write(text, this.#buffered);
  }

  appendBytes(bytes: Buffer): void {
    this.#makeRoom(bytes.length);
    this.#buffered += bytes.copy(this.#buffer, this.#buffered);
  }

  /** Appends the bytes of another spool from `start` up to `end`. */
  appendFrom(source: Spool, start: number, end: number): void {
    for (let from = start; from < end; from += maxBytesInMemory) {
      const bytes = Math.min(maxBytesInMemory, end - from);
      this.#makeRoom(bytes);
      source.#copy(from, from + bytes, this.#buffer, this.#buffered);
      this.#buffered += bytes;
    }
  }

  /** SHA-256 (hex) of what has been appended up to now. */
  digestSoFar(): string {
    return this.#hash.copy().update(this.#buffer.subarray(0, this.#buffered)).digest("hex");
  }

  /** Everything appended, as one body. Nothing may be appended afterwards; the file lives until `dispose`. */
  finish(): ObjectBody {
    if (this.#file !== undefined) this.#flush(this.#file.descriptor);
    const bytes = this.#buffer.subarray(0, this.#buffered);
    const sha256 = this.#hash.update(bytes).digest("hex");
    if (this.#file === undefined) return { kind: "bytes", bytes, size: bytes.length, sha256 };
    return { kind: "file", path: this.#file.path, size: this.#written, sha256 };
  }

  [Symbol.dispose](): void {
    if (this.#file === undefined) return;
    closeSync(this.#file.descriptor);
    rmSync(this.#file.folder, { recursive: true, force: true });
    this.#file = undefined;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#buffered + bytes;
    if (needed <= this.#buffer.length) return;
    if (this.#file === undefined && needed <= maxBytesInMemory) {
      const doubled = Math.min(maxBytesInMemory, 2 * this.#buffer.length);
      const buffer = Buffer.allocUnsafe(Math.max(firstBufferBytes, needed, doubled));
      this.#buffer.copy(buffer, 0, 0, this.#buffered);
      this.#buffer = buffer;
      return;
    }
    this.#file ??= openTemporary();
    this.#flush(this.#file.descriptor);
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(Math.max(bytes, maxBytesInMemory));
  }

  #flush(descriptor: number): void {
    if (this.#buffered === 0) return;
    const bytes = this.#buffer.subarray(0, this.#buffered);
    this.#hash.update(bytes);
    // `writeSync` writes what fits when the disk is full, and says so only in its result.
    writeFileSync(descriptor, bytes);
    this.#written += this.#buffered;
    this.#buffered = 0;
  }

  #copy(start: number, end: number, target: Buffer, at: number): void {
    if (this.#file === undefined) {
      this.#buffer.copy(target, at, start, end);
      return;
    }
    this.#flush(this.#file.descriptor);
    if (readSync(this.#file.descriptor, target, at, end - start, start) !== end - start) {
      throw new Failure("internal", `The temporary file ${this.#file.path} was cut off by somebody else.`);
    }
  }
}

function openTemporary(): { descriptor: number; folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "partner-programs-"));
  const path = join(folder, "spool");
  return { descriptor: openSync(path, "wx+", 0o600), folder, path };
}
