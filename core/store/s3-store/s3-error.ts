import { Failure, type FailureCode } from "../../ground/failure.ts";
import { checkedKey } from "../../ground/object-key.ts";

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
  readonly operation: keyof typeof permissions;
  readonly location: S3Location;
  /** The object's key, or a listing's prefix, without the location's prefix. For a batch, the first key. */
  readonly key: string;
}

/** The call as the beginning of a message. */
export function describeCall(call: S3Call): string {
  return `${call.operation} ${s3Address(call.location)}${call.key}`;
}

/** The permissions that an operation needs, as IAM writes them. A put with If-Match reads the ETag. */
const permissions = {
  GetObject: "s3:GetObject",
  PutObject: "s3:PutObject and s3:GetObject",
  CopyObject: "s3:PutObject and s3:GetObject",
  ListObjectsV2: "s3:ListBucket",
  DeleteObjects: "s3:DeleteObject",
  DeleteObject: "s3:DeleteObject",
} as const;

/**
 * S3 answers 403 for a missing key when the caller may not list the bucket. If that counted as "missing", a
 * lost permission would look like "there are no tokens". So it stays a failure.
 */
function denial({ operation, location: { bucket, prefix } }: S3Call): string {
  const arn = `arn:aws:s3:::${bucket}`;
  const resource = operation === "ListObjectsV2" ? arn : `${arn}/${prefix}*`;
  const hint =
    operation === "GetObject"
      ? `, and s3:ListBucket on ${arn}, without which S3 denies a missing object`
      : "";
  return `permission denied; the credentials in use need ${permissions[operation]} on ${resource}${hint}`;
}

/** What an error of store, network or SDK comes to. */
interface Meaning {
  readonly failure: FailureCode;
  readonly explain: string | ((call: S3Call) => string);
  /** The codes of S3 and the SDK that have this meaning, whatever the HTTP status is, separated by spaces. */
  readonly codes?: string;
}

const unclear = {
  failure: "store_unavailable",
  explain: "the store did not answer as it should; it may later",
} as const;

/** The kinds of errors that the driver tells apart. */
const kinds = {
  no_object: { failure: "store_unavailable", explain: "the object is not there", codes: "NoSuchKey" },
  no_bucket: {
    failure: "store_unavailable",
    explain: ({ location }) =>
      `there is no bucket ${location.bucket}; create it, or correct STORE_URL or AWS_ENDPOINT_URL_S3`,
    codes: "NoSuchBucket",
  },
  /** The condition of a put did not hold. */
  precondition_failed: { ...unclear, codes: "PreconditionFailed" },
  /** Another request to the same key was under way. */
  conflict: {
    failure: "store_unavailable",
    explain: "another request to the same object was under way; try again",
    codes: "ConditionalRequestConflict OperationAborted",
  },
  // S3 answers 200 to a batch of deletions, with only a code for each object that was not deleted.
  denied: { failure: "store_denied", explain: denial, codes: "AccessDenied" },
  credentials: {
    failure: "store_denied",
    explain:
      "no valid credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN for temporary ones), AWS_PROFILE or an instance role, and check that they belong to this store and have not expired",
    codes:
      "InvalidAccessKeyId SignatureDoesNotMatch ExpiredToken InvalidToken TokenRefreshRequired CredentialsProviderError TokenProviderError",
  },
  clock_skew: {
    failure: "store_denied",
    explain:
      "this machine's clock and the store's differ too much; synchronise the clock (NTP) on the one that is wrong",
    codes: "RequestTimeTooSkewed RequestExpired",
  },
  wrong_region: {
    failure: "settings",
    explain: "AWS_REGION is not set or not the bucket's region; correct it",
    codes: "PermanentRedirect TemporaryRedirect AuthorizationHeaderMalformed RegionMissing",
  },
  /** The store understood the request but does not support it. */
  unsupported: {
    failure: "store_unsupported",
    explain: "the store refuses this kind of request; `partner-programs store check` says what it lacks",
  },
  /** Bytes of the request were lost or changed on the way, and the store stored nothing. */
  damaged_request: {
    failure: "store_unavailable",
    explain: "the request arrived incomplete or changed; check the network and any proxy on the way",
    codes: "BadDigest IncompleteBody XAmzContentSHA256Mismatch RequestTimeout",
  },
  throttled: {
    failure: "store_unavailable",
    explain: "the store asks to slow down; try later, or lower --concurrency",
    codes: "SlowDown TooManyRequests RequestLimitExceeded",
  },
  overdue: {
    failure: "store_unavailable",
    explain: "no answer in time; check the endpoint and the network (STORE_TIMEOUT_MS sets the deadline)",
    codes: "DEADLINE",
  },
  /** A 503 without a code of S3's, as of a proxy. */
  busy: { ...unclear, codes: "ServiceUnavailable" },
  /** Anything that may work later: 5xx, resets, timeouts, an answer that was cut off. */
  unavailable: { ...unclear, codes: "InternalError AbortError TimeoutError" },
  /** A defect of this program. */
  defect: { failure: "internal", explain: "unexpected error" },
} as const satisfies Readonly<Record<string, Meaning>>;

export type S3ErrorKind = keyof typeof kinds;

const kindsByCode: ReadonlyMap<string, S3ErrorKind> = new Map(
  Object.entries<Meaning>(kinds).flatMap(([kind, { codes = "" }]) =>
    codes.split(" ").map((code) => [code, kind as S3ErrorKind]),
  ),
);

/** The kind of an error with this HTTP status (`undefined` without a usable answer) and this code. */
export function errorKind(status: number | undefined, code: string): S3ErrorKind {
  const known = code === "" ? undefined : kindsByCode.get(code);
  if (known !== undefined) return known;
  if (status === undefined) return isTransportCode(code) ? "unavailable" : "defect";
  if (status === 401 || status === 403) return "denied";
  if (status === 301 || status === 307) return "wrong_region";
  if (status === 409) return "conflict";
  if (status === 412) return "precondition_failed";
  if (status === 429) return "throttled";
  if (status === 503) return "busy";
  // A 404 without NoSuchKey comes from a proxy or a wrong endpoint, and tells of no missing object.
  if (status === 404 || status === 408) return "unavailable";
  return status === 501 || (status >= 400 && status < 500) ? "unsupported" : "unavailable";
}

/** True for ECONNRESET, EAI_AGAIN, CERT_HAS_EXPIRED and the like; false for codes of wrong arguments. */
function isTransportCode(code: string): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(code) && !/^ERR_(?:INVALID|HTTP)_/.test(code);
}

/** A `BadAnswer`, or an error of network or SDK. Its message may quote headers, and so is not read. */
interface ThrownError {
  readonly message?: unknown;
  readonly Code?: unknown;
  readonly code?: unknown;
  readonly name?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}

/** What the store, the network or the SDK says of an error. `requestId` is for the store's operators. */
function statementOf(thrown: unknown) {
  const { message, Code, code, name, $metadata = {} } = Object(thrown) as ThrownError;
  // The SDK throws a plain Error when it knows no region.
  const names = [message === "Region is missing" ? "RegionMissing" : "", Code, code, name];
  const found = names.find((each): each is string => typeof each === "string" && each !== "");
  return { code: found ?? "unknown", status: $metadata.httpStatusCode, requestId: $metadata.requestId };
}

export function kindOf(thrown: unknown): S3ErrorKind {
  const { status, code } = statementOf(thrown);
  return errorKind(status, code);
}

/** The failure of a call. Its message says what was asked, what the store answered, and what to do. */
export class S3Failure extends Failure {
  readonly kind: S3ErrorKind;

  constructor(call: S3Call, thrown: unknown) {
    const { code, status, requestId } = statementOf(thrown);
    const kind = errorKind(status, code);
    const { failure, explain }: Meaning = kinds[kind];
    const answer = [code, status && `HTTP ${status}`, requestId && `request ${requestId}`].filter(Boolean);
    const text = typeof explain === "string" ? explain : explain(call);
    super(failure, `${describeCall(call)}: ${text} (${answer.join(", ")}).`, {
      cause: slimCause(code, thrown),
    });
    this.kind = kind;
  }
}

/** The result of a call; `undefined` when it fails with one of these errors. */
export async function unlessKind<Output>(
  calling: Promise<Output>,
  ...expected: readonly S3ErrorKind[]
): Promise<Output | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (error instanceof S3Failure && expected.includes(error.kind)) return undefined;
    throw error;
  }
}

/** A cause without the SDK's error, whose signed headers and socket must not be kept or logged. */
function slimCause(code: string, thrown: unknown): Error {
  const cause = new Error(code);
  const stack = thrown instanceof Error ? (thrown.stack ?? "").split("\n") : [];
  cause.stack = [code, ...stack.filter((line) => line.startsWith("    at "))].join("\n");
  return cause;
}
