import type { IncomingMessage } from "node:http";
import { createSlots } from "../bounded-work.ts";
import { Failure } from "../failure.ts";
import type { ObjectKey } from "../object-key.ts";
import type { ETag, ObjectBody, ObjectStore, PutCondition } from "../object-store.ts";
import { type S3Context, type S3Reply, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call, type S3ErrorKind, s3Key } from "./s3-error.ts";
import type { S3Request } from "./send.ts";

/**
 * `put` of the port. `get` reads an object back where a refusal may be wrong.
 */
export function createPut(
  context: S3Context,
  get: ObjectStore["get"],
  maxParallelPuts: number,
): ObjectStore["put"] {
  const slots = createSlots(maxParallelPuts);
  /** The form of tags in If-Match that the store accepts. It is known once a put-if-match was stored. */
  let form: TagForm | undefined;

  /**
   * Ceph's gateway up to version 16 compares `If-Match` without quotes, so the quoted ETag that it returned never matches. Until
   * one form has worked, a 412 for a tag that the object still has is therefore tried once in the other form. That attempt is
   * a put-if-match, too, so it is as safe as the first.
   */
  async function putIfMatch(request: Unconditional, etag: ETag): Promise<S3Reply<ETag>> {
    // `form` may change while this put runs, but what counts is the form that this put has sent.
    const known = form;
    const reply = await sendIfMatch(request, etag, known ?? "quoted");
    const isRefused = reply.kind === "error" && reply.error.kind === "precondition_failed";
    if (known !== undefined || !isRefused) return reply;
    return (await stillHasTag(request, etag)) ? sendIfMatch(request, etag, "unquoted") : reply;
  }

  async function sendIfMatch(request: Unconditional, etag: ETag, asked: TagForm): Promise<S3Reply<ETag>> {
    const given = asked === "quoted" ? etag : etag.replace(/^"(.*)"$/, "$1");
    const reply = await putObject(context, { ...request, condition: { kind: "match", etag: given } });
    if (reply.kind === "done") form = asked;
    return reply;
  }

  async function stillHasTag({ key, signal }: Unconditional, etag: ETag): Promise<boolean> {
    const now = await get(key, { signal, ifNoneMatch: etag });
    if (now.kind !== "object") return now.kind === "not_modified";
    now.body.destroy();
    return now.etag === etag;
  }

  return (key, body, options) => {
    const { signal, condition } = options ?? {};
    const request = { key, body, signal };
    return slots(`PutObject ${key}`, signal, async () => {
      const reply =
        condition?.kind === "match"
          ? await putIfMatch(request, condition.etag)
          : await putObject(context, { ...request, condition });
      return reply.kind === "done" ? { kind: "stored", etag: reply.output } : { kind: "refused" };
    });
  };
}

type TagForm = "quoted" | "unquoted";
type Unconditional = Omit<PutRequest, "condition">;

/** The errors that mean that the condition did not hold. */
const refusals: Readonly<Record<PutCondition["kind"], readonly S3ErrorKind[]>> = {
  absent: ["precondition_failed", "conflict"],
  match: ["precondition_failed", "conflict", "no_object"],
};

interface PutRequest {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly condition: PutCondition | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Returns the new ETag, or one of the `refusals`. */
async function putObject(context: S3Context, request: PutRequest): Promise<S3Reply<ETag>> {
  const { key, body, condition, signal } = request;
  const call: S3Call = { operation: "PutObject", location: context.location, key };
  const policy = {
    signal,
    // A repeated put-if-match can overtake its own first attempt and report a conflict with itself.
    repeatable: condition?.kind !== "match",
    expected: condition === undefined ? [] : refusals[condition.kind],
    timeoutMs: context.timeoutMs + uploadMs(body.size),
  };
  const sent = requestOf(s3Key(context.location, key), request);
  return s3Call(context, call, policy, async (abortSignal) => {
    const answer = await context.send(sent, abortSignal);
    return await tagOf(answer, call);
  });
}

function requestOf(key: string, { body, condition }: PutRequest): S3Request {
  const headers: Record<string, string> = {
    "content-type": contentType(key),
    // S3 keeps the digest, and wants one where the bucket locks its objects.
    "x-amz-checksum-sha256": Buffer.from(body.sha256, "hex").toString("base64"),
  };
  if (condition?.kind === "absent") headers["if-none-match"] = "*";
  if (condition?.kind === "match") headers["if-match"] = condition.etag;
  return { method: "PUT", key, headers, body };
}

async function tagOf(answer: IncomingMessage, call: S3Call): Promise<ETag> {
  const { etag = "" } = answer.headers;
  // The answer has no body. Whatever comes is thrown away.
  answer.resume();
  if (etag !== "") return etag;
  throw new Failure("store_unsupported", `${describeCall(call)}: the answer has no ETag.`);
}

function contentType(key: string): string {
  return `${key.endsWith(".txt") ? "text/plain" : "application/json"}; charset=utf-8`;
}

/** The time for sending a body, which is added to the call's deadline. */
function uploadMs(size: number): number {
  return Math.ceil(size / slowestBytesPerMs);
}

const slowestBytesPerMs = 1024;
