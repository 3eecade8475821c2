import type { IncomingMessage } from "node:http";
import { Failure } from "../failure.ts";
import { objectInMemory } from "../object-body.ts";
import type { GetResult, ObjectStore } from "../object-store.ts";
import { streamedBody, wholeBody } from "./body.ts";
import { listPage } from "./list.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, grantFor, type S3Call, s3Key } from "./s3-error.ts";

export function createGet(context: S3Context): ObjectStore["get"] {
  const { location, send } = context;
  return async (key, { ifNoneMatch, signal } = {}) => {
    const headers = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch };
    const request = { method: "GET", key: s3Key(location, key), headers } as const;
    const call: S3Call = { operation: "GetObject", location, key };
    const reply = await s3Call(
      context,
      call,
      { signal, repeatable: true, expected: ["no_object", "denied"] },
      (abortSignal) => send(request, abortSignal),
    );
    if (reply.kind === "done") return await objectOf(context, call, reply.output, signal);
    if (reply.error.kind === "no_object") return { kind: "missing" };
    throw await explainedDenial(context, call, reply.failure, signal);
  };
}

/** Up to this size a body is read at once. Most such bodies arrive together with the head of the answer. */
const maxWholeBytes = 64 * 1024;

async function objectOf(
  context: S3Context,
  call: S3Call,
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): Promise<GetResult> {
  if (answer.statusCode === 304) {
    answer.resume();
    return { kind: "not_modified" };
  }
  const { "content-length": length = "", "last-modified": modified = "", etag = "" } = answer.headers;
  const size = /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  const modifiedAt = new Date(modified);
  // Without a Content-Length, a body that was cut off would look complete.
  if (size === undefined || etag === "" || Number.isNaN(modifiedAt.getTime())) {
    answer.destroy();
    throw new Failure(
      "store_unsupported",
      `${describeCall(call)}: the answer lacks Content-Length, ETag or Last-Modified; no proxy before the store may drop or rewrite them.`,
    );
  }
  const options = { size, timeoutMs: context.timeoutMs, signal, what: describeCall(call) };
  const head = { kind: "object", etag, size, modifiedAt } as const;
  if (size > maxWholeBytes) return { ...head, body: streamedBody(answer, options) };
  return objectInMemory(head, await wholeBody(answer, options));
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
  const { location } = context;
  // The grant may be for some prefixes only. For a read, S3 uses the key as the prefix.
  const request = { prefix: call.key, after: "", folded: false, maxKeys: 1, signal };
  const reply = await listPage(context, request, ["denied"]);
  if (reply.kind === "done") return failure;
  const listCall: S3Call = { operation: "ListObjectsV2", location, key: "" };
  return new Failure(
    "store_denied",
    `${describeCall(call)}: permission denied, or there is no such object; grant ${grantFor(call)} and ${grantFor(listCall)} (without the latter S3 does not tell the two apart).`,
    { cause: failure },
  );
}
