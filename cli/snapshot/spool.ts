import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectBody } from "../../core/object-store.ts";

/** Up to this size a spool stays in memory. */
const maxBytesInMemory = 2 * 1024 * 1024;
const writeBufferBytes = 256 * 1024;

/**
 * An append-only sequence of byte strings that moves to a temporary file when it grows: what lets a list of 100,000
 * programs be sorted, hashed and uploaded in a few megabytes of memory. File calls are synchronous on purpose: they
 * hit the page cache, and 100,000 asynchronous ones would cost twenty times as much.
 */
export class Spool implements Disposable {
  readonly #hash = createHash("sha256");
  #items: Buffer[] = [];
  #offsets: number[] = [];
  #size = 0;
  #file: { readonly descriptor: number; readonly folder: string; readonly path: string } | undefined;
  #unwrittenBytes = 0;

  get count(): number {
    return this.#offsets.length;
  }

  append(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#offsets.push(this.#size);
    this.#items.push(bytes);
    this.#size += bytes.length;
    this.#unwrittenBytes += bytes.length;
    const limit = this.#file === undefined ? maxBytesInMemory : writeBufferBytes;
    if (this.#unwrittenBytes > limit) this.#flush();
  }

  /** The bytes of the n-th append. */
  item(index: number): Buffer {
    if (this.#file === undefined) return this.#items[index] ?? Buffer.alloc(0);
    this.#flush();
    const start = this.#offsets[index] ?? this.#size;
    const bytes = Buffer.allocUnsafe((this.#offsets[index + 1] ?? this.#size) - start);
    readSync(this.#file.descriptor, bytes, 0, bytes.length, start);
    return bytes;
  }

  /** Everything appended, as one body. Nothing may be appended afterwards; the file lives until `dispose`. */
  finish(): ObjectBody {
    const sha256 = this.#hash.digest("hex");
    if (this.#file === undefined) {
      return { kind: "bytes", bytes: Buffer.concat(this.#items, this.#size), size: this.#size, sha256 };
    }
    this.#flush();
    return { kind: "file", path: this.#file.path, size: this.#size, sha256 };
  }

  [Symbol.dispose](): void {
    if (this.#file === undefined) return;
    closeSync(this.#file.descriptor);
    rmSync(this.#file.folder, { recursive: true, force: true });
    this.#file = undefined;
  }

  #flush(): void {
    if (this.#unwrittenBytes === 0) return;
    this.#file ??= openTemporary();
    // `writeSync` writes what fits when the disk is full, and says so only in its result.
    writeFileSync(this.#file.descriptor, Buffer.concat(this.#items, this.#unwrittenBytes));
    this.#items = [];
    this.#unwrittenBytes = 0;
  }
}

function openTemporary(): { descriptor: number; folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "partner-programs-"));
  const path = join(folder, "spool");
  return { descriptor: openSync(path, "wx+", 0o600), folder, path };
}
