import type { IncomingMessage } from "node:http";
import { createSlots } from "../bounded-work.ts";
import { Failure } from "../failure.ts";
import type { ObjectKey } from "../object-key.ts";
import type { ETag, ObjectBody, ObjectStore, PutCondition } from "../object-store.ts";
import { type S3Context, type S3Reply, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call, type S3ErrorKind, s3Key } from "./s3-error.ts";
import type { S3Request } from "./send.ts";

/**
 * `put` of the port. Stores differ in the requests that they accept, and the driver remembers the differences for its lifetime.
 * `get` reads an object back where a refusal may be wrong.
 */
export function createPut(
  context: S3Context,
  get: ObjectStore["get"],
  maxParallelPuts: number,
): ObjectStore["put"] {
  const slots = createSlots(maxParallelPuts);
  /** Whether puts have the SHA-256 for S3 to keep. Some stores refuse that header (Backblaze B2 did). */
  let withChecksum = true;
  /** The form of tags in If-Match that the store accepts. It is known once a put-if-match was stored. */
  let form: TagForm | undefined;

  /** Sends the put, and sends it again without the checksum's header if the store refuses such a request. */
  async function send(request: Omit<PutRequest, "withChecksum">): Promise<S3Reply<ETag>> {
    const isWithChecksum = withChecksum;
    const reply = await putObject(context, { ...request, withChecksum: isWithChecksum });
    if (!isWithChecksum || reply.kind === "done" || reply.error.kind !== "unsupported") return reply;
    const plain = await putObject(context, { ...request, withChecksum: false });
    if (plain.kind === "done" || plain.error.kind !== "unsupported") withChecksum = false;
    return plain;
  }

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
    const reply = await send({ ...request, condition: { kind: "match", etag: given } });
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
          : await send({ ...request, condition });
      if (reply.kind === "done") return { kind: "stored", etag: reply.output };
      if (reply.error.kind === "unsupported") throw reply.failure;
      return { kind: "refused" };
    });
  };
}

type TagForm = "quoted" | "unquoted";
type Unconditional = Omit<PutRequest, "condition" | "withChecksum">;

/** The errors that a put understands: `unsupported`, and those that mean that its condition did not hold. */
const expectedErrors: Readonly<Record<PutCondition["kind"] | "none", readonly S3ErrorKind[]>> = {
  none: ["unsupported"],
  absent: ["unsupported", "precondition_failed", "conflict"],
  match: ["unsupported", "precondition_failed", "conflict", "no_object"],
};

interface PutRequest {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly condition: PutCondition | undefined;
  readonly withChecksum: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Returns the new ETag, or one of the `expectedErrors`. */
async function putObject(context: S3Context, request: PutRequest): Promise<S3Reply<ETag>> {
  const { key, body, condition, signal } = request;
  const call: S3Call = { operation: "PutObject", location: context.location, key };
  const policy = {
    signal,
    // A repeated put-if-match can overtake its own first attempt and report a conflict with itself.
    repeatable: condition?.kind !== "match",
    expected: expectedErrors[condition?.kind ?? "none"],
    timeoutMs: context.timeoutMs + uploadMs(body.size),
  };
  const sent = requestOf(s3Key(context.location, key), request);
  return s3Call(context, call, policy, async (abortSignal) => {
    const answer = await context.send(sent, abortSignal);
    return await tagOf(answer, call);
  });
}

function requestOf(key: string, { body, condition, withChecksum }: PutRequest): S3Request {
  const headers: Record<string, string> = { "content-type": contentType(key) };
  // S3 keeps the digest, and wants one where the bucket locks its objects.
  if (withChecksum) headers["x-amz-checksum-sha256"] = Buffer.from(body.sha256, "hex").toString("base64");
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
