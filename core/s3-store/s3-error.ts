/** The kinds of errors of store, network and SDK that the driver tells apart. */
export type S3ErrorKind =
  | "no_object"
  | "no_bucket"
  /** 412: the condition of a put did not hold. */
  | "precondition_failed"
  /** 409: another request to the same key was under way. */
  | "conflict"
  | "denied"
  | "credentials"
  | "clock_skew"
  | "wrong_region"
  /** The store understood the request but does not support it. */
  | "unsupported"
  /** Bytes of the request were lost or changed on the way, and the store stored nothing. */
  | "damaged_request"
  | "throttled"
  /** Anything that may work later: 5xx, resets, timeouts, an answer that was cut off. */
  | "unavailable"
  /** A defect of this program. */
  | "defect";

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
  const status = statusOf(thrown);
  const code = codeOf(thrown);
  const metadata = field(thrown, "$metadata");
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

/** True for ECONNRESET, EAI_AGAIN, CERT_HAS_EXPIRED, HPE_INVALID_CONSTANT, ..., but not for Node's codes of wrong arguments. */
function isTransportCode(code: string): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(code) && !/^ERR_(?:INVALID|HTTP)_/.test(code);
}

const kindsByCode: ReadonlyMap<string, S3ErrorKind> = new Map(
  Object.entries({
    NoSuchKey: "no_object",
    NoSuchBucket: "no_bucket",
    // S3 answers 200 to a batch of deletions, with only a code for each object that was not deleted.
    AccessDenied: "denied",
    InternalError: "unavailable",
    PreconditionFailed: "precondition_failed",
    ConditionalRequestConflict: "conflict",
    OperationAborted: "conflict",
    RequestTimeTooSkewed: "clock_skew",
    RequestExpired: "clock_skew",
    InvalidAccessKeyId: "credentials",
    SignatureDoesNotMatch: "credentials",
    ExpiredToken: "credentials",
    InvalidToken: "credentials",
    TokenRefreshRequired: "credentials",
    CredentialsProviderError: "credentials",
    TokenProviderError: "credentials",
    PermanentRedirect: "wrong_region",
    TemporaryRedirect: "wrong_region",
    AuthorizationHeaderMalformed: "wrong_region",
    RegionMissing: "wrong_region",
    BadDigest: "damaged_request",
    IncompleteBody: "damaged_request",
    XAmzContentSHA256Mismatch: "damaged_request",
    RequestTimeout: "damaged_request",
    SlowDown: "throttled",
    TooManyRequests: "throttled",
    RequestLimitExceeded: "throttled",
    AbortError: "unavailable",
    TimeoutError: "unavailable",
  } satisfies Record<string, S3ErrorKind>),
);

function statusOf(thrown: unknown): number | undefined {
  const status = field(field(thrown, "$metadata"), "httpStatusCode");
  return typeof status === "number" ? status : undefined;
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
