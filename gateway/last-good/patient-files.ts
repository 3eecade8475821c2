import type { Readable } from "node:stream";
import { createSlots } from "../../core/bounded-work.ts";
import { valueWithin } from "../deadline.ts";
import type { KeptFiles } from "./kept-files.ts";

/** The part of `KeptFiles` that requests use. */
export type ReadableFiles = Pick<KeptFiles, "read" | "stream" | "doubt">;

/**
 * The files for callers that can also ask the store (W85): a file that fails or takes too long counts as missing. Never rejects.
 *
 * Files are read one at a time, and none while a read hangs. A hanging read holds one of the four threads that Node.js has for
 * files, gzip and host names together, and hanging writes may hold others.
 */
export function patientFiles(files: ReadableFiles, maxReadMs = 1000): ReadableFiles {
  const slots = createSlots(1);
  let hanging = 0;

  async function inTurn<Value>(
    read: () => Promise<Value | undefined>,
    drop: (late: Value) => void,
  ): Promise<Value | undefined> {
    if (hanging > 0) return undefined;
    let isDone = false;
    const reading = read()
      .catch(() => undefined)
      .finally(() => {
        isDone = true;
      });
    const value = await valueWithin(maxReadMs, reading);
    if (isDone) return value;
    hanging += 1;
    void reading.then((late) => {
      hanging -= 1;
      if (late !== undefined) drop(late);
    });
    return undefined;
  }

  async function patiently<Value>(
    read: () => Promise<Value | undefined>,
    drop: (late: Value) => void = () => {},
  ): Promise<Value | undefined> {
    try {
      const tooLong = AbortSignal.timeout(maxReadMs);
      return await slots("Reading the last good copy", tooLong, () => inTurn(read, drop));
    } catch {
      return undefined;
    }
  }

  return {
    read: (sha256) => patiently(() => files.read(sha256)),
    // A stream that comes too late must be closed.
    stream: (sha256) =>
      patiently<Readable>(
        () => files.stream(sha256),
        (late) => late.destroy(),
      ),
    doubt: files.doubt,
  };
}
