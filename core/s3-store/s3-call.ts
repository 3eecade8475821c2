import { Failure } from "../failure.ts";
import { type AttemptVerdict, withAttempts } from "./attempts.ts";
import { type S3Error, type S3ErrorKind, s3Error } from "./s3-error.ts";
import { describeCall, type S3Call, s3Failure } from "./s3-failure.ts";
import type { S3Location } from "./s3-location.ts";
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

/** Makes one call to the store, with a deadline and several attempts. Throws a `Failure` for every error that is not expected. */
export async function s3Call<Output>(
  context: S3Context,
  call: S3Call,
  policy: CallPolicy,
  send: (signal: AbortSignal) => Promise<Output>,
): Promise<S3Reply<Output>> {
  let attempt = 0;
  const options = {
    maxAttempts: policy.repeatable ? maxAttempts : 1,
    timeoutMs: policy.timeoutMs ?? context.timeoutMs,
    signal: policy.signal,
    what: describeCall(call),
    judge: (thrown: unknown) => verdict(call, thrown),
  };
  return withAttempts<S3Reply<Output>>(options, async (signal) => {
    attempt += 1;
    try {
      return { kind: "done", output: await send(signal) };
    } catch (thrown) {
      const error = s3Error(thrown);
      if (!policy.expected.includes(error.kind)) throw thrown;
      if (worthRepeating.has(error.kind) && attempt < options.maxAttempts) throw thrown;
      return { kind: "error", error, failure: s3Failure(call, error, thrown) };
    }
  });
}

function verdict(call: S3Call, thrown: unknown): AttemptVerdict {
  if (thrown instanceof Failure) return { failure: thrown, mayRetry: false };
  const error = s3Error(thrown);
  return { failure: s3Failure(call, error, thrown), mayRetry: worthRepeating.has(error.kind) };
}

const worthRepeating: ReadonlySet<S3ErrorKind> = new Set<S3ErrorKind>([
  "unavailable",
  "throttled",
  "damaged_request",
  "conflict",
  // P183: the answer to the first attempt has the store's time, so the second one can succeed.
  "clock_skew",
]);
