import type { IncomingMessage } from "node:http";
import { createSlots } from "../bounded-work.ts";
import { Failure } from "../failure.ts";
import type { ObjectKey } from "../object-key.ts";
import type { ETag, ObjectBody, ObjectStore, PutCondition, PutResult } from "../object-store.ts";
import { type S3Context, type S3Reply, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call, type S3ErrorKind } from "./s3-error.ts";
import { s3Key } from "./s3-location.ts";
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
  let withChecksum = true;
  /** The form of tags in If-Match that the store accepts. It is known once a put-if-match was stored. */
  let form: TagForm | undefined;

  /** Sends the put, and sends it again without the checksum header if the store refuses that. */
  async function send(request: Omit<PutRequest, "withChecksum">): Promise<S3Reply<string>> {
    const reply = await putObject(context, { ...request, withChecksum });
    if (!withChecksum || !isError(reply, "unsupported")) return reply;
    const plain = await putObject(context, { ...request, withChecksum: false });
    if (!isError(plain, "unsupported")) withChecksum = false;
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
    if (known !== undefined || !isError(reply, "precondition_failed")) return reply;
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
    return slots(`PutObject ${key}`, signal, async () =>
      resultOf(
        condition?.kind === "match"
          ? await putIfMatch(request, condition.etag)
          : await send({ ...request, condition }),
      ),
    );
  };
}

type TagForm = "quoted" | "unquoted";
type Unconditional = Omit<PutRequest, "withChecksum" | "condition">;

function resultOf(reply: S3Reply<ETag>): PutResult {
  if (reply.kind === "done") return { kind: "stored", etag: reply.output };
  switch (reply.error.kind) {
    case "precondition_failed":
    case "conflict":
    case "no_object":
      return { kind: "refused" };
    default:
      throw reply.failure;
  }
}

function isError(reply: S3Reply<string>, kind: "unsupported" | "precondition_failed"): boolean {
  return reply.kind === "error" && reply.error.kind === kind;
}

interface PutRequest {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly condition: PutCondition | undefined;
  /** Whether the request has the SHA-256 for S3 to verify and keep. Some stores refuse that header. */
  readonly withChecksum: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Returns the new ETag, or one of the errors that `expectedOf` lists. */
async function putObject(context: S3Context, request: PutRequest): Promise<S3Reply<ETag>> {
  const { key, body, condition, signal } = request;
  const call: S3Call = { operation: "PutObject", location: context.location, key };
  const policy = {
    signal,
    // A repeated put-if-match can overtake its own first attempt and report a conflict with itself.
    repeatable: condition?.kind !== "match",
    expected: expectedOf(condition),
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
  if (withChecksum) headers["x-amz-checksum-sha256"] = base64Digest(body);
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

function base64Digest({ sha256 }: ObjectBody): string {
  return Buffer.from(sha256, "hex").toString("base64");
}

/** The errors that a put understands. */
function expectedOf(condition: PutCondition | undefined): readonly S3ErrorKind[] {
  switch (condition?.kind) {
    case undefined:
      return ["unsupported"];
    case "absent":
      return ["unsupported", "precondition_failed", "conflict"];
    case "match":
      return ["unsupported", "precondition_failed", "conflict", "no_object"];
  }
}

/** The time for sending a body, which is added to the call's deadline. */
function uploadMs(size: number): number {
  return Math.ceil(size / slowestBytesPerMs);
}

const slowestBytesPerMs = 1024;
