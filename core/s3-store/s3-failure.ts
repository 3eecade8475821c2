import { Failure, type FailureCode } from "../failure.ts";
import type { S3Error, S3ErrorKind } from "./s3-error.ts";
import { type S3Location, s3Address } from "./s3-location.ts";

/** The S3 operations that the driver uses, by S3's names. */
export type S3Operation =
  | "GetObject"
  | "PutObject"
  | "CopyObject"
  | "ListObjectsV2"
  | "DeleteObjects"
  | "DeleteObject";

/** A call to the store, for messages. */
export interface S3Call {
  readonly operation: S3Operation;
  readonly location: S3Location;
  /** The object's key, or the prefix of a listing, without the location's prefix. For a batch, the first key. */
  readonly key: string;
}

/** The failure for an error. Its message says what was asked, what the store answered, and what to do. */
export function s3Failure(call: S3Call, error: S3Error, cause: unknown): Failure {
  const { code, explain } = meanings[error.kind];
  const answer = [
    error.code,
    error.status === undefined ? "" : `HTTP ${error.status}`,
    error.requestId === undefined ? "" : `request ${error.requestId}`,
  ];
  const text = `${describeCall(call)}: ${explain(call)} (${answer.filter((part) => part !== "").join(", ")}).`;
  return new Failure(code, text, { cause: slimCause(error, cause) });
}

/** The call as the beginning of a message. */
export function describeCall(call: S3Call): string {
  return `${call.operation} ${s3Address(call.location)}${call.key}`;
}

/** The permission that a call needs, as IAM writes it. */
export function grantFor(call: S3Call): string {
  const bucketArn = `arn:aws:s3:::${call.location.bucket}`;
  const objectsArn = `${bucketArn}/${call.location.prefix}*`;
  switch (call.operation) {
    case "ListObjectsV2":
      return `s3:ListBucket on ${bucketArn}`;
    case "GetObject":
      return `s3:GetObject on ${objectsArn}`;
    case "CopyObject":
      return `s3:GetObject and s3:PutObject on ${objectsArn}`;
    case "PutObject":
      // A put with If-Match reads the present ETag, so S3 asks for s3:GetObject as well.
      return `s3:PutObject and s3:GetObject on ${objectsArn}`;
    case "DeleteObjects":
    case "DeleteObject":
      return `s3:DeleteObject on ${objectsArn}`;
  }
}

/** A cause without the SDK's error, which holds the signed headers and the socket. Neither may be kept or logged. */
function slimCause(error: S3Error, thrown: unknown): Error {
  const cause = new Error(error.code);
  if (thrown instanceof Error && thrown.stack !== undefined) {
    cause.stack = `${error.code}\n${thrown.stack
      .split("\n")
      .filter((line) => line.startsWith("    at "))
      .join("\n")}`;
  }
  return cause;
}

interface Meaning {
  readonly code: FailureCode;
  readonly explain: (call: S3Call) => string;
}

const unavailable: Meaning = {
  code: "store_unavailable",
  explain: () => "the store did not answer as it should; it may later",
};

const meanings: Readonly<Record<S3ErrorKind, Meaning>> = {
  no_object: { code: "store_unavailable", explain: () => "the object is not there" },
  no_bucket: {
    code: "store_unavailable",
    explain: (call) =>
      `there is no bucket ${call.location.bucket}; create it, or correct STORE_URL or AWS_ENDPOINT_URL_S3`,
  },
  precondition_failed: unavailable,
  conflict: {
    code: "store_unavailable",
    explain: () => "another request to the same object was under way; try again",
  },
  denied: {
    code: "store_denied",
    explain: (call) =>
      `permission denied; grant ${grantFor(call)} to the credentials in use (and look for a denying bucket or key policy)`,
  },
  credentials: {
    code: "store_denied",
    explain: () =>
      "no valid credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN for temporary ones), AWS_PROFILE or an instance role, and check that they belong to this store and have not expired",
  },
  clock_skew: {
    code: "store_denied",
    explain: () =>
      "this machine's clock and the store's differ too much; synchronise the clock (NTP) on the one that is wrong",
  },
  wrong_region: {
    code: "settings",
    explain: (call) =>
      `AWS_REGION is not set or not the region of the bucket ${call.location.bucket}; correct it`,
  },
  unsupported: {
    code: "store_unsupported",
    explain: () =>
      "the store refuses this kind of request; run `partner-programs store check` to see what it lacks",
  },
  damaged_request: {
    code: "store_unavailable",
    explain: () => "the request arrived incomplete or changed; check the network and any proxy on the way",
  },
  throttled: {
    code: "store_unavailable",
    explain: () => "the store asks to slow down; try later, or lower --concurrency",
  },
  unavailable,
  defect: { code: "internal", explain: () => "unexpected error" },
};
