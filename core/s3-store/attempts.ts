import { setTimeout as delay } from "node:timers/promises";
import { withDeadline } from "../deadline.ts";
import { Failure, interrupted } from "../failure.ts";

/** How to handle an error of one attempt: throw the failure, or try again if an attempt is left. */
export interface AttemptVerdict {
  readonly failure: Failure;
  readonly mayRetry: boolean;
}

export interface AttemptOptions {
  /** How often the call may be made; 1 where a second call could do harm. */
  readonly maxAttempts: number;
  /** Deadline of each attempt. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Describes the call in messages. */
  readonly what: string;
  readonly judge: (thrown: unknown) => AttemptVerdict;
}

/**
 * Repeats a call, with pauses, until it succeeds, must not be repeated, or was made `maxAttempts` times. The call must stop when
 * its signal fires, but nobody waits until it has stopped.
 */
export async function withAttempts<Result>(
  options: AttemptOptions,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { timeoutMs, signal } = options;
  const expired = (): Error => new DeadlineError("deadline");
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withDeadline({ timeoutMs, signal, expired }, call);
    } catch (thrown) {
      if (options.signal?.aborted === true) throw interrupted(options.what);
      const { failure, mayRetry } =
        thrown instanceof DeadlineError
          ? { failure: overdue(options, thrown), mayRetry: true }
          : options.judge(thrown);
      if (!mayRetry || attempt >= options.maxAttempts) throw failure;
      await pause(retryDelayMs(attempt, Math.random()), options);
    }
  }
}

/**
 * Exponential back-off with full jitter, so that clients that failed together do not try again together. `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number): number {
  return Math.floor(random * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)));
}

const firstDelayMs = 200;
const maxDelayMs = 3000;

class DeadlineError extends Error {}

async function pause(delayMs: number, { signal, what }: AttemptOptions): Promise<void> {
  try {
    await delay(delayMs, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw interrupted(what);
  }
}

function overdue({ what, timeoutMs }: AttemptOptions, cause: unknown): Failure {
  const text = `${what}: no answer within ${timeoutMs} ms; check the endpoint and the network (STORE_TIMEOUT_MS sets the deadline).`;
  return new Failure("store_unavailable", text, { cause });
}
