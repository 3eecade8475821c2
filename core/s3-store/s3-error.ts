import { Failure, type FailureCode } from "../failure.ts";
import { checkedKey } from "../object-key.ts";

/** Where the store's objects are: a bucket, and the prefix of all their keys (empty, or ending in `/`). */
export interface S3Location {
  readonly bucket: string;
  readonly prefix: string;
}

/** S3's limit on a key, which includes the prefix. */
const maxKeyBytes = 1024;

/** The location as people write it. */
export function s3Address(location: S3Location): string {
  return `s3://${location.bucket}/${location.prefix}`;
}

/** The key as S3 knows it. Throws `usage` for a key that not every driver can store. */
export function s3Key(location: S3Location, key: string): string {
  const full = location.prefix + checkedKey(key);
  if (full.length <= maxKeyBytes) return full;
  throw new Failure("usage", `The key ${JSON.stringify(key)} is too long below ${s3Address(location)}.`);
}

/** A call to the store, for messages. */
export interface S3Call {
  /** S3's name of the operation. */
  readonly operation:
    | "GetObject"
    | "PutObject"
    | "CopyObject"
    | "ListObjectsV2"
    | "DeleteObjects"
    | "DeleteObject";
  readonly location: S3Location;
  /** The object's key, or the prefix of a listing, without the location's prefix. For a batch, the first key. */
  readonly key: string;
}

/** The call as the beginning of a message. */
export function describeCall(call: S3Call): string {
  return `${call.operation} ${s3Address(call.location)}${call.key}`;
}

/** What an error of store, network or SDK comes to. */
interface Meaning {
  /** The codes of S3 and the SDK that have this meaning, whatever the HTTP status is. */
  readonly codes: readonly string[];
  readonly failure: FailureCode;
  readonly explain: (call: S3Call) => string;
}

/** The kinds of errors that the driver tells apart. */
const kinds = {
  no_object: {
    codes: ["NoSuchKey"],
    failure: "store_unavailable",
    explain: () => "the object is not there",
  },
  no_bucket: {
    codes: ["NoSuchBucket"],
    failure: "store_unavailable",
    explain: ({ location }) =>
      `there is no bucket ${location.bucket}; create it, or correct STORE_URL or AWS_ENDPOINT_URL_S3`,
  },
  /** The condition of a put did not hold. */
  precondition_failed: {
    codes: ["PreconditionFailed"],
    failure: "store_unavailable",
    explain: () => "the store did not answer as it should; it may later",
  },
  /** Another request to the same key was under way. */
  conflict: {
    codes: ["ConditionalRequestConflict", "OperationAborted"],
    failure: "store_unavailable",
    explain: () => "another request to the same object was under way; try again",
  },
  denied: {
    // S3 answers 200 to a batch of deletions, with only a code for each object that was not deleted.
    codes: ["AccessDenied"],
    failure: "store_denied",
    explain: (call) =>
      `permission denied; grant ${grantFor(call)} to the credentials in use (and look for a denying bucket or key policy)`,
  },
  credentials: {
    codes: [
      "InvalidAccessKeyId",
      "SignatureDoesNotMatch",
      "ExpiredToken",
      "InvalidToken",
      "TokenRefreshRequired",
      "CredentialsProviderError",
      "TokenProviderError",
    ],
    failure: "store_denied",
    explain: () =>
      "no valid credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN for temporary ones), AWS_PROFILE or an instance role, and check that they belong to this store and have not expired",
  },
  clock_skew: {
    codes: ["RequestTimeTooSkewed", "RequestExpired"],
    failure: "store_denied",
    explain: () =>
      "this machine's clock and the store's differ too much; synchronise the clock (NTP) on the one that is wrong",
  },
  wrong_region: {
    codes: ["PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "RegionMissing"],
    failure: "settings",
    explain: ({ location }) =>
      `AWS_REGION is not set or not the region of the bucket ${location.bucket}; correct it`,
  },
  /** The store understood the request but does not support it. */
  unsupported: {
    codes: [],
    failure: "store_unsupported",
    explain: () =>
      "the store refuses this kind of request; run `partner-programs store check` to see what it lacks",
  },
  /** Bytes of the request were lost or changed on the way, and the store stored nothing. */
  damaged_request: {
    codes: ["BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch", "RequestTimeout"],
    failure: "store_unavailable",
    explain: () => "the request arrived incomplete or changed; check the network and any proxy on the way",
  },
  throttled: {
    codes: ["SlowDown", "TooManyRequests", "RequestLimitExceeded"],
    failure: "store_unavailable",
    explain: () => "the store asks to slow down; try later, or lower --concurrency",
  },
  /** Anything that may work later: 5xx, resets, timeouts, an answer that was cut off. */
  unavailable: {
    codes: ["InternalError", "AbortError", "TimeoutError"],
    failure: "store_unavailable",
    explain: () => "the store did not answer as it should; it may later",
  },
  /** A defect of this program. */
  defect: { codes: [], failure: "internal", explain: () => "unexpected error" },
} as const satisfies Readonly<Record<string, Meaning>>;

export type S3ErrorKind = keyof typeof kinds;

export interface S3Error {
  readonly kind: S3ErrorKind;
  /** S3's error code, the operating system's, or the SDK's name of the error. */
  readonly code: string;
  readonly status: number | undefined;
  /** The store's id of the request, for the store's operators. */
  readonly requestId: string | undefined;
}

/** Reads a `Refusal`, or an error of the network or the SDK. Its message is left out, since it may quote headers and signatures. */
export function s3Error(thrown: unknown): S3Error {
  const metadata = field(thrown, "$metadata");
  const found = field(metadata, "httpStatusCode");
  const status = typeof found === "number" ? found : undefined;
  const code = codeOf(thrown);
  return { kind: errorKind(status, code), code, status, requestId: text(field(metadata, "requestId")) };
}

/** The kind of an error with this HTTP status (`undefined` without a usable answer) and this code. */
export function errorKind(status: number | undefined, code: string): S3ErrorKind {
  const known = kindsByCode.get(code);
  if (known !== undefined) return known;
  if (status === undefined) return isTransportCode(code) ? "unavailable" : "defect";
  if (status === 401 || status === 403) return "denied";
  if (status === 301 || status === 307) return "wrong_region";
  if (status === 409) return "conflict";
  if (status === 412) return "precondition_failed";
  if (status === 429) return "throttled";
  // A 404 without NoSuchKey comes from a proxy or a wrong endpoint, and does not mean that an object is missing.
  if (status === 404 || status === 408) return "unavailable";
  if (status === 501 || (status >= 400 && status < 500)) return "unsupported";
  return "unavailable";
}

const kindsByCode: ReadonlyMap<string, S3ErrorKind> = new Map(
  Object.entries(kinds).flatMap(([kind, { codes }]) => codes.map((code) => [code, kind as S3ErrorKind])),
);

/** True for ECONNRESET, EAI_AGAIN, CERT_HAS_EXPIRED, HPE_INVALID_CONSTANT, ..., but not for Node's codes of wrong arguments. */
function isTransportCode(code: string): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(code) && !/^ERR_(?:INVALID|HTTP)_/.test(code);
}

function codeOf(thrown: unknown): string {
  // The SDK throws a plain Error when it knows no region.
  if (thrown instanceof Error && thrown.message === "Region is missing") return "RegionMissing";
  return (
    text(field(thrown, "Code")) ?? text(field(thrown, "code")) ?? text(field(thrown, "name")) ?? "unknown"
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The failure for an error. Its message says what was asked, what the store answered, and what to do. */
export function s3Failure(call: S3Call, error: S3Error, cause: unknown): Failure {
  const { failure, explain } = kinds[error.kind];
  const answer = [
    error.code,
    error.status === undefined ? "" : `HTTP ${error.status}`,
    error.requestId === undefined ? "" : `request ${error.requestId}`,
  ];
  const message = `${describeCall(call)}: ${explain(call)} (${answer.filter((part) => part !== "").join(", ")}).`;
  return new Failure(failure, message, { cause: slimCause(error, cause) });
}

/** The permission that a call needs, as IAM writes it. */
export function grantFor({ operation, location }: S3Call): string {
  const bucketArn = `arn:aws:s3:::${location.bucket}`;
  const objectsArn = `${bucketArn}/${location.prefix}*`;
  switch (operation) {
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
