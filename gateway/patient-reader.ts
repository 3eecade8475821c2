import { createSlots } from "../core/bounded-work.ts";
import { valueWithin } from "./deadline.ts";

/** Runs a reading of the disk. Resolves to undefined when it fails or takes too long; never rejects. */
export type PatientReader = <Value>(read: () => Promise<Value | undefined>) => Promise<Value | undefined>;

/**
 * For callers that can also ask the store (W85). Readings take turns, and none begins while one hangs: a hanging one holds one of
 * the four threads that Node.js has for files, gzip and host names together, and hanging writes may hold two others.
 */
export function createPatientReader(maxReadMs = 1000): PatientReader {
  const slots = createSlots(1);
  let hanging = 0;

  async function inTurn<Value>(read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    if (hanging > 0) return undefined;
    hanging += 1;
    const value = read()
      .catch(() => undefined)
      .finally(() => {
        hanging -= 1;
      });
    return await valueWithin(maxReadMs, value);
  }

  return async (read) => {
    const tooLong = AbortSignal.timeout(maxReadMs);
    return await slots("Reading the last good copy", tooLong, () => inTurn(read)).catch(() => undefined);
  };
}
