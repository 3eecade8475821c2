import { asFailure } from "../../../core/failure.ts";

/** A part of the facts. `faults` says why it could not be read. */
export interface Reading<Value> {
  readonly value: Value;
  readonly faults: readonly string[];
}

/** Reads a part of the facts. When that fails, the value is `none`, so that one part that fails does not hide the others. */
export async function readOr<Value>(
  none: Value,
  signal: AbortSignal,
  read: () => Promise<Value>,
): Promise<Reading<Value>> {
  try {
    return { value: await read(), faults: [] };
  } catch (error) {
    const { code, message } = asFailure(error);
    if (signal.aborted || code === "internal") throw error;
    return { value: none, faults: [message] };
  }
}
