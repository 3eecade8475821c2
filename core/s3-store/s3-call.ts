import { setTimeout as delay } from "node:timers/promises";
import { withDeadline } from "../bounded-work.ts";
import { Failure, interrupted } from "../failure.ts";
import {
  describeCall,
  type S3Call,
  type S3Error,
  type S3ErrorKind,
  type S3Location,
  s3Error,
  s3Failure,
} from "./s3-error.ts";
import type { S3Send } from "./send.ts";

/** The parts that all operations of the driver share. */
export interface S3Context {
  readonly send: S3Send;
  readonly location: S3Location;
  readonly timeoutMs: number;
}

export interface CallPolicy {
  readonly signal: AbortSignal | undefined;
  /** Whether the call may safely be made again after an unclear answer. */
  readonly repeatable: boolean;
  /** Errors that the operation handles. They are returned instead of thrown. */
  readonly expected: readonly S3ErrorKind[];
  /** Deadline of an attempt, if it differs from the store's. */
  readonly timeoutMs?: number | undefined;
}

export type S3Reply<Output> =
  | { readonly kind: "done"; readonly output: Output }
  /** One of the expected errors, and the failure to throw if the operation cannot handle it. */
  | { readonly kind: "error"; readonly error: S3Error; readonly failure: Failure };

const maxAttempts = 3;

/**
 * Makes a call to the store, again after a pause where that may help and is safe. Each attempt has a deadline. The attempt must stop
 * when its signal fires, but nobody waits until it has stopped. Throws a `Failure` for every error that is not expected.
 */
export async function s3Call<Output>(
  context: S3Context,
  call: S3Call,
  policy: CallPolicy,
  attempt: (signal: AbortSignal) => Promise<Output>,
): Promise<S3Reply<Output>> {
  const { signal, expected, repeatable, timeoutMs = context.timeoutMs } = policy;
  const deadline = { timeoutMs, signal, expired: () => new Overdue("deadline") };
  for (let left = repeatable ? maxAttempts : 1; ; ) {
    try {
      return { kind: "done", output: await withDeadline(deadline, attempt) };
    } catch (thrown) {
      left -= 1;
      if (signal?.aborted === true) throw interrupted(describeCall(call));
      if (thrown instanceof Failure) throw thrown;
      const error = s3Error(thrown);
      if (left > 0 && worthRepeating.has(error.kind)) {
        await pause(retryDelayMs(maxAttempts - left, Math.random()), call, signal);
        continue;
      }
      const failure =
        thrown instanceof Overdue ? overdue(call, timeoutMs, thrown) : s3Failure(call, error, thrown);
      if (expected.includes(error.kind)) return { kind: "error", error, failure };
      throw failure;
    }
  }
}

const worthRepeating: ReadonlySet<S3ErrorKind> = new Set<S3ErrorKind>([
  "unavailable",
  "throttled",
  "damaged_request",
  "conflict",
  // P183: the answer to the first attempt has the store's time, so the second one can succeed.
  "clock_skew",
]);

/**
 * Exponential back-off with full jitter, so that clients that failed together do not try again together. `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number): number {
  return Math.floor(random * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)));
}

const firstDelayMs = 200;
const maxDelayMs = 3000;

async function pause(delayMs: number, call: S3Call, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(delayMs, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw interrupted(describeCall(call));
  }
}

class Overdue extends Error {
  readonly code = "TIMEOUT";
}

function overdue(call: S3Call, timeoutMs: number, cause: Overdue): Failure {
  const text = `${describeCall(call)}: no answer within ${timeoutMs} ms; check the endpoint and the network (STORE_TIMEOUT_MS sets the deadline).`;
  return new Failure("store_unavailable", text, { cause });
}
