import { setTimeout as delay } from "node:timers/promises";
import { type Slots, withDeadline } from "../../ground/bounded-work.ts";
import { Failure, interrupted } from "../../ground/failure.ts";
import { BadAnswer } from "./answer.ts";
import { describeCall, type S3Call, type S3ErrorKind, S3Failure, type S3Location } from "./s3-error.ts";
import type { S3Send } from "./send.ts";

/** The parts that all operations of the driver share. */
export interface S3Context {
  readonly send: S3Send;
  readonly location: S3Location;
  readonly timeoutMs: number;
  /** Bounds the uploads and copies at once. */
  readonly uploads: Slots;
}

export interface CallPolicy {
  readonly signal: AbortSignal | undefined;
  /** The errors after which the call is made again; those that may pass, unless given. */
  readonly repeated?: ReadonlySet<S3ErrorKind>;
  /** Deadline of an attempt, if it differs from the store's. */
  readonly timeoutMs?: number;
}

const maxAttempts = 3;

/**
 * Makes a call to the store, again after a pause where that may help and is safe. Each attempt has a
 * deadline. The attempt must stop when its signal fires, but nobody waits until it has stopped. Throws an
 * `S3Failure`, or a `Failure` that the attempt has thrown.
 */
export async function s3Call<Output>(
  context: Pick<S3Context, "timeoutMs">,
  call: S3Call,
  { signal, repeated = passing, timeoutMs = context.timeoutMs }: CallPolicy,
  attempt: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  const deadline = { timeoutMs, signal, expired: () => new BadAnswer("DEADLINE") };
  for (let made = 1; ; made += 1) {
    try {
      return await withDeadline(deadline, attempt);
    } catch (thrown) {
      if (signal?.aborted === true) throw interrupted(describeCall(call));
      if (thrown instanceof Failure) throw thrown;
      const failure = new S3Failure(call, thrown);
      if (made === maxAttempts || !repeated.has(failure.kind)) throw failure;
      const pauseMs = retryDelayMs(made, busy.has(failure.kind), Math.random());
      await delay(pauseMs, undefined, { signal }).catch(() => {
        throw interrupted(describeCall(call));
      });
    }
  }
}

/** The store, or a proxy before it, asks to come back later. */
export const busy: ReadonlySet<S3ErrorKind> = new Set<S3ErrorKind>(["throttled", "busy"]);

const passing: ReadonlySet<S3ErrorKind> = new Set<S3ErrorKind>([
  ...busy,
  "unavailable",
  "overdue",
  "damaged_request",
  "conflict",
  // P183: the answer to the first attempt has the store's time, so the second one can succeed.
  "clock_skew",
]);

/**
 * Exponential back-off with full jitter, so that clients that failed together do not try again together.
 * P198: the last attempt comes at least a second after a busy store was asked first. `random` is in [0, 1).
 */
function retryDelayMs(attempt: number, isBusy: boolean, random: number): number {
  const leastMs = isBusy && attempt === maxAttempts - 1 ? 1000 : 0;
  return Math.floor(leastMs + random * Math.min(3000, 200 * 2 ** (attempt - 1)));
}
