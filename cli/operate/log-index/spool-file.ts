import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
