import { setTimeout as delay } from "node:timers/promises";
import { withDeadline } from "../deadline.ts";
import { Failure, interrupted } from "../failure.ts";

/** What to do with an error of one attempt: give up with a failure, or try again if an attempt is left. */
export interface AttemptVerdict {
  readonly failure: Failure;
  readonly mayRetry: boolean;
}

export interface AttemptOptions {
  /** How often the call may be made in all; 1 where a second one could do harm. */
  readonly maxAttempts: number;
  /** Deadline of each attempt. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** For messages: what is being done to what. */
  readonly what: string;
  readonly judge: (thrown: unknown) => AttemptVerdict;
}

/**
 * Makes a call until it succeeds, must not be repeated or has been tried `maxAttempts` times, waiting in between.
 * The call must stop when its signal fires; the caller does not wait for it to.
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
 * Exponential back-off with full jitter: clients that failed together do not come back together.
 * `random` is in [0, 1).
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
