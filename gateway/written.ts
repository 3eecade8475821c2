import type { Writable } from "node:stream";

/** Resolves when the sink is done with the chunk, whose memory may be used again then. */
export function written(sink: Writable, chunk: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    sink.write(chunk, (error) => {
      signal.removeEventListener("abort", leave);
      if (error) reject(error);
      else resolve();
    });
  });
}
