import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A temporary file to append to and to read from. It has no name from the moment it is open: nobody else can open it, and
 * however this process ends, the system takes it away. Calls are synchronous: they meet the page cache.
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

  /** Where it stands from now on. */
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
