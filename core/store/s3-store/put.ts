import { Failure } from "../../ground/failure.ts";
import type { ObjectKey } from "../../ground/object-key.ts";
import type { ETag, ObjectBody, ObjectStore, PutCondition, PutResult } from "../object-store.ts";
import { busy, type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call, type S3ErrorKind, s3Key, unlessKind } from "./s3-error.ts";

/**
 * `put` of the port. Stores differ in the requests that they accept, and the driver remembers the differences
 * for its lifetime. `get` reads an object back where a refusal may be wrong.
 */
export function createPut(context: S3Context, get: ObjectStore["get"]): ObjectStore["put"] {
  /** Whether puts have the SHA-256 for S3 to keep. Some stores refuse that header (Backblaze B2 did). */
  let withChecksum = true;
  /** The form of tags in If-Match that the store accepts. It is known once a put-if-match was stored. */
  let form: TagForm | undefined;

  /** Sends the put, and sends it again without the checksum's header if the store refuses such a request. */
  async function send(request: PutRequest): Promise<PutResult> {
    if (!withChecksum) return await putObject(context, request, false);
    const result = await unlessKind(putObject(context, request, true), "unsupported");
    if (result !== undefined) return result;
    const plain = await putObject(context, request, false);
    withChecksum = false;
    return plain;
  }

  /**
   * Ceph's gateway up to version 16 compares `If-Match` without quotes, so the quoted ETag that it returned
   * never matches. Until one form has worked, a refusal for a tag that the object still has is therefore
   * tried once in the other form. That attempt is a put-if-match, too, so it is as safe as the first.
   */
  async function putIfMatch(request: Unconditional, etag: ETag): Promise<PutResult> {
    // `form` may change while this put runs, but what counts is the form that this put has sent.
    const known = form;
    const result = await sendIfMatch(request, etag, known ?? "quoted");
    if (result.kind === "stored" || known !== undefined) return result;
    return (await stillHasTag(request, etag)) ? sendIfMatch(request, etag, "unquoted") : result;
  }

  async function sendIfMatch(request: Unconditional, etag: ETag, asked: TagForm): Promise<PutResult> {
    const given = asked === "quoted" ? etag : etag.replace(/^"(.*)"$/, "$1");
    const result = await send({ ...request, condition: { kind: "match", etag: given } });
    if (result.kind === "stored") form = asked;
    return result;
  }

  async function stillHasTag({ key, signal }: Unconditional, etag: ETag): Promise<boolean> {
    const now = await get(key, { signal, ifNoneMatch: etag });
    if (now.kind !== "object") return now.kind === "not_modified";
    now.body.destroy();
    return now.etag === etag;
  }

  return (key, body, { signal, condition } = {}) => {
    const request = { key, body, signal };
    return context.uploads(`PutObject ${key}`, signal, () =>
      condition?.kind === "match" ? putIfMatch(request, condition.etag) : send({ ...request, condition }),
    );
  };
}

type TagForm = "quoted" | "unquoted";
type Unconditional = Omit<PutRequest, "condition">;

interface PutRequest {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly condition: PutCondition | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The errors that mean that the condition did not hold. */
const refusals: Readonly<Record<PutCondition["kind"], readonly S3ErrorKind[]>> = {
  absent: ["precondition_failed", "conflict"],
  match: ["precondition_failed", "conflict", "no_object"],
};

/** The time for sending a body is added to the call's deadline. */
const slowestBytesPerMs = 1024;

async function putObject(
  context: S3Context,
  { key, body, condition, signal }: PutRequest,
  withChecksum: boolean,
): Promise<PutResult> {
  const { location } = context;
  const call: S3Call = { operation: "PutObject", location, key };
  const type = key.endsWith(".txt") ? "text/plain" : "application/json";
  const headers: Record<string, string> = { "content-type": `${type}; charset=utf-8` };
  // S3 keeps the digest, and wants one where the bucket locks its objects.
  if (withChecksum) headers["x-amz-checksum-sha256"] = Buffer.from(body.sha256, "hex").toString("base64");
  if (condition?.kind === "absent") headers["if-none-match"] = "*";
  if (condition?.kind === "match") headers["if-match"] = condition.etag;
  const request = { method: "PUT", key: s3Key(location, key), headers, body } as const;
  const policy = {
    signal,
    // A repeated put-if-match can overtake its own first attempt and report a conflict with itself. P198: a
    // busy store has most probably done nothing; since a proxy's 503 may follow a write, whoever puts reads
    // back what was refused.
    ...(condition?.kind === "match" ? { repeated: busy } : {}),
    timeoutMs: context.timeoutMs + Math.ceil(body.size / slowestBytesPerMs),
  };
  const calling = s3Call(context, call, policy, async (abortSignal) => {
    const answer = await context.send(request, abortSignal);
    // The answer has no body. Whatever comes is thrown away.
    answer.resume();
    return answer.headers.etag ?? "";
  });
  const etag = await (condition === undefined ? calling : unlessKind(calling, ...refusals[condition.kind]));
  if (etag === undefined) return { kind: "refused" };
  if (etag !== "") return { kind: "stored", etag };
  throw new Failure("store_unsupported", `${describeCall(call)}: the answer has no ETag.`);
}
