import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { Failure } from "../failure.ts";
import { sha256Hex } from "../object-body.ts";
import type { GetResult, ObjectStore } from "../object-store.ts";
import { guardedBody } from "./guarded-body.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, grantFor, type S3Call } from "./s3-failure.ts";
import { s3Key } from "./s3-location.ts";
import { withAnswer } from "./sdk-request.ts";
import { maxSmallBytes, smallBody } from "./small-body.ts";

export function createGet(context: S3Context): ObjectStore["get"] {
  const { location } = context;
  return async (key, options) => {
    const signal = options?.signal;
    const request = { key: s3Key(location, key), ifNoneMatch: options?.ifNoneMatch };
    const call: S3Call = { operation: "GetObject", location, key };
    const reply = await s3Call(
      context,
      call,
      { signal, repeatable: true, expected: ["not_modified", "no_object", "denied"] },
      (abortSignal) => answerTo(context, request, abortSignal),
    );
    if (reply.kind === "done") {
      if (reply.output === "not_modified") return { kind: "not_modified" };
      return objectOf(context, call, reply.output, signal);
    }
    if (reply.error.kind === "not_modified") return { kind: "not_modified" };
    if (reply.error.kind === "no_object") return { kind: "missing" };
    throw await explainedDenial(context, call, reply.failure, signal);
  };
}

/** The parts of an answer with an object. A store may leave some out. */
interface ObjectAnswer {
  readonly Body?: unknown;
  readonly ContentLength?: number | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
}

async function answerTo(
  { client, plainSend, location }: S3Context,
  { key, ifNoneMatch }: { readonly key: string; readonly ifNoneMatch: string | undefined },
  abortSignal: AbortSignal,
): Promise<ObjectAnswer | "not_modified"> {
  const headers: Record<string, string> = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch };
  const request = { method: "GET", key, headers, body: undefined, sha256: emptySha256 } as const;
  const answer = await plainSend(request, abortSignal);
  const command = new GetObjectCommand({ Bucket: location.bucket, Key: key, IfNoneMatch: ifNoneMatch });
  if (answer === undefined) return client.send(command, { abortSignal });
  if (answer.statusCode === 304) {
    answer.resume();
    return "not_modified";
  }
  return plainObject(answer) ?? client.send(withAnswer(command, answer), { abortSignal });
}

const emptySha256 = sha256Hex(Buffer.alloc(0));

/** The object of a usual answer, whose headers need no interpretation; `undefined` for all other answers. */
function plainObject(answer: IncomingMessage): ObjectAnswer | undefined {
  const { "content-length": size = "", "last-modified": modified = "", etag } = answer.headers;
  if (answer.statusCode !== 200 || etag === undefined || etag === "") return undefined;
  if (!/^\d{1,15}$/.test(size) || !httpDate.test(modified)) return undefined;
  return { Body: answer, ContentLength: Number(size), ETag: etag, LastModified: new Date(modified) };
}

/** The form in which HTTP sends dates (RFC 9110 section 5.6.7). The SDK reads answers with other forms. */
const httpDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

function objectOf(
  context: S3Context,
  call: S3Call,
  output: ObjectAnswer,
  signal: AbortSignal | undefined,
): GetResult {
  const { Body: source, ContentLength: size, ETag: etag, LastModified: modifiedAt } = output;
  if (!(source instanceof Readable)) throw new Failure("internal", `${describeCall(call)}: no body to read.`);
  // Without a Content-Length, a body that was cut off would look complete.
  if (size === undefined || etag === undefined || modifiedAt === undefined) {
    source.destroy();
    throw new Failure(
      "store_unsupported",
      `${describeCall(call)}: the answer lacks Content-Length, ETag or Last-Modified; no proxy before the store may drop or rewrite them.`,
    );
  }
  const what = describeCall(call);
  const options = { size, timeoutMs: context.timeoutMs, signal, what };
  const head = { kind: "object", etag, size, modifiedAt, isLocal: false } as const;
  if (size > maxSmallBytes) return { ...head, body: guardedBody(source, options) };
  const small = smallBody(source, options);
  let body: Readable | undefined;
  return {
    ...head,
    whole: small.whole,
    get body() {
      body ??= small.stream();
      return body;
    },
  };
}

/**
 * S3 answers 403 for a missing key when the caller may not list the bucket. If that counted as "missing", a lost permission would
 * look like "there are no tokens". So it stays a failure, and the message says which grant is missing.
 */
async function explainedDenial(
  context: S3Context,
  call: S3Call,
  failure: Failure,
  signal: AbortSignal | undefined,
): Promise<Failure> {
  const { location, client } = context;
  const listCall: S3Call = { operation: "ListObjectsV2", location, key: "" };
  // The grant may be for some prefixes only. For a read, S3 uses the key as the prefix.
  const input = { Bucket: location.bucket, Prefix: s3Key(location, call.key), MaxKeys: 1 };
  const reply = await s3Call(
    context,
    listCall,
    { signal, repeatable: true, expected: ["denied"] },
    (abortSignal) => client.send(new ListObjectsV2Command(input), { abortSignal }),
  );
  if (reply.kind === "done") return failure;
  return new Failure(
    "store_denied",
    `${describeCall(call)}: permission denied, or there is no such object; grant ${grantFor(call)} and ${grantFor(listCall)} (without the latter S3 does not tell the two apart).`,
    { cause: failure },
  );
}
