import { createSlots } from "../bounded-work.ts";
import type { ETag, ObjectStore, PutResult } from "../object-store.ts";
import { type PutRequest, putObject } from "./put-request.ts";
import type { S3Context, S3Reply } from "./s3-call.ts";

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
