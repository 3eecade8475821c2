import { Readable } from "node:stream";
import { GetObjectCommand, type GetObjectCommandOutput, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { Failure } from "../failure.ts";
import type { GetResult, ObjectStore } from "../object-store.ts";
import { guardedBody } from "./guarded-body.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, grantFor, type S3Call } from "./s3-failure.ts";
import { s3Key } from "./s3-location.ts";

export function createGet(context: S3Context): ObjectStore["get"] {
  const { client, location } = context;
  return async (key, options) => {
    const signal = options?.signal;
    const input = { Bucket: location.bucket, Key: s3Key(location, key), IfNoneMatch: options?.ifNoneMatch };
    const call: S3Call = { operation: "GetObject", location, key };
    const reply = await s3Call(
      context,
      call,
      { signal, repeatable: true, expected: ["not_modified", "no_object", "denied"] },
      (abortSignal) => client.send(new GetObjectCommand(input), { abortSignal }),
    );
    if (reply.kind === "done") return objectOf(context, call, reply.output, signal);
    if (reply.error.kind === "not_modified") return { kind: "not_modified" };
    if (reply.error.kind === "no_object") return { kind: "missing" };
    throw await explainedDenial(context, call, reply.failure, signal);
  };
}

function objectOf(
  context: S3Context,
  call: S3Call,
  output: GetObjectCommandOutput,
  signal: AbortSignal | undefined,
): GetResult {
  const { Body: source, ContentLength: size, ETag: etag, LastModified: modifiedAt } = output;
  if (!(source instanceof Readable)) throw new Failure("internal", `${describeCall(call)}: no body to read.`);
  // Without an announced length a body that was cut looks like a whole one.
  if (size === undefined || etag === undefined || modifiedAt === undefined) {
    source.destroy();
    throw new Failure(
      "store_unsupported",
      `${describeCall(call)}: the answer lacks Content-Length, ETag or Last-Modified; no proxy before the store may drop or rewrite them.`,
    );
  }
  const what = describeCall(call);
  const body = guardedBody(source, { size, timeoutMs: context.timeoutMs, signal, what });
  return { kind: "object", etag, size, modifiedAt, isLocal: false, body };
}

/**
 * S3 answers 403 for a key that does not exist when the caller may not list the bucket. To take that for "missing"
 * would turn a lost permission into "there are no tokens"; so it stays a failure, but says which grant clears it up.
 */
async function explainedDenial(
  context: S3Context,
  call: S3Call,
  failure: Failure,
  signal: AbortSignal | undefined,
): Promise<Failure> {
  const { location, client } = context;
  const listCall: S3Call = { operation: "ListObjectsV2", location, key: "" };
  // The grant may be for some prefixes only; for a read S3 takes the key for the prefix.
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
