import { createHash } from "node:crypto";
import { createSlots } from "../bounded-work.ts";
import { bytesBody } from "../object-body.ts";
import type { ObjectStore } from "../object-store.ts";
import { BadAnswer, documentOf, elements, firstElement } from "./answer.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import type { S3Call } from "./s3-error.ts";
import { s3Key } from "./s3-location.ts";
import type { S3Request } from "./send.ts";

/** S3's limit on a batch. */
const maxBatch = 1000;
const maxParallelSingles = 16;

export function createDelete(context: S3Context): ObjectStore["delete"] {
  const slots = createSlots(maxParallelSingles);
  /** Some stores have no batch requests. The answer to the first one shows that. */
  let hasBatches = true;

  return async (keys, options) => {
    const signal = options?.signal;
    // All keys are checked before the first object is deleted.
    const targets = keys.map((key) => ({ key, Key: s3Key(context.location, key) }));
    for (let from = 0; from < targets.length; from += maxBatch) {
      const batch = targets.slice(from, from + maxBatch);
      if (hasBatches && batch.length > 1) hasBatches = await deleteBatch(context, batch, signal);
      if (hasBatches && batch.length > 1) continue;
      await Promise.all(
        batch.map((target) =>
          slots(`DeleteObject ${target.key}`, signal, () => deleteSingle(context, target, signal)),
        ),
      );
    }
  };
}

interface Target {
  readonly key: string;
  /** The key with the location's prefix. */
  readonly Key: string;
}

/** Deletes at most 1,000 objects by one request; false when the store has no such request. */
async function deleteBatch(
  context: S3Context,
  targets: readonly Target[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const call: S3Call = { operation: "DeleteObjects", location: context.location, key: targets[0]?.key ?? "" };
  let left = targets;
  const reply = await s3Call(
    context,
    call,
    { signal, repeatable: true, expected: ["unsupported"] },
    async (abortSignal) => {
      const answer = await context.send(batchRequest(left), abortSignal);
      const document = await documentOf(answer, "DeleteResult");
      const errors = elements(document, "Error");
      left = notDeleted(left, document, errors);
      if (left.length > 0) throw new BadAnswer(firstElement(errors.join(""), "Code") ?? "INCOMPLETE_ANSWER");
    },
  );
  return reply.kind === "done";
}

/** `Quiet` is off, so that an answer that lost its end does not look like one without errors. */
function batchRequest(targets: readonly Target[]): S3Request {
  // No character of a key needs escaping.
  const objects = targets.map(({ Key }) => `<Object><Key>${Key}</Key></Object>`).join("");
  const body = bytesBody(
    Buffer.from(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects}</Delete>`),
  );
  // S3 requires a checksum in a header. The MD5 is the one that every store knows.
  const headers = { "content-md5": createHash("md5").update(body.bytes).digest("base64") };
  return { method: "POST", key: "", query: { delete: "" }, headers, body };
}

function notDeleted(
  targets: readonly Target[],
  document: string,
  errors: readonly string[],
): readonly Target[] {
  const missing = errors.filter((error) => firstElement(error, "Code") === "NoSuchKey");
  const gone = new Set(
    [...elements(document, "Deleted"), ...missing].map((each) => firstElement(each, "Key")),
  );
  return targets.filter(({ Key }) => !gone.has(Key));
}

async function deleteSingle(
  context: S3Context,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<void> {
  const call: S3Call = { operation: "DeleteObject", location: context.location, key: target.key };
  const reply = await s3Call(
    context,
    call,
    { signal, repeatable: true, expected: ["no_object"] },
    async (abortSignal) => {
      const answer = await context.send({ method: "DELETE", key: target.Key }, abortSignal);
      answer.resume();
    },
  );
  if (reply.kind === "error" && reply.error.kind !== "no_object") throw reply.failure;
}
