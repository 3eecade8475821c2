import { createHash } from "node:crypto";
import { forEachBounded } from "../bounded-work.ts";
import { bytesBody } from "../object-body.ts";
import type { ObjectStore } from "../object-store.ts";
import { BadAnswer, documentOf, elements, firstElement } from "./answer.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { type S3Call, s3Key } from "./s3-error.ts";
import type { S3Request } from "./send.ts";

/** S3's limit on a batch. */
const maxBatch = 1000;
const maxParallelSingles = 16;

/** `delete` of the port. Google Cloud Storage has no batch requests, which the refusal of the first one shows. */
export function createDelete(context: S3Context): ObjectStore["delete"] {
  let hasBatches = true;
  return async (keys, { signal } = {}) => {
    // All keys are checked before the first object is deleted.
    const targets = keys.map((key) => ({ key, name: s3Key(context.location, key) }));
    for (let from = 0; from < targets.length; from += maxBatch) {
      const batch = targets.slice(from, from + maxBatch);
      if (batch.length > 1) hasBatches &&= await deleteBatch(context, batch, signal);
      if (batch.length > 1 && hasBatches) continue;
      await forEachBounded(batch, maxParallelSingles, (target) => deleteOne(context, target, signal));
    }
  };
}

interface Target {
  readonly key: string;
  /** The key with the location's prefix. */
  readonly name: string;
}

async function deleteOne(
  context: S3Context,
  { key, name }: Target,
  signal: AbortSignal | undefined,
): Promise<void> {
  const call: S3Call = { operation: "DeleteObject", location: context.location, key };
  const policy = { signal, repeatable: true, expected: ["no_object"] } as const;
  await s3Call(context, call, policy, async (abortSignal) => {
    (await context.send({ method: "DELETE", key: name }, abortSignal)).resume();
  });
}

/** Deletes at most 1,000 objects by one request; false when the store has no such request. */
async function deleteBatch(
  context: S3Context,
  targets: readonly Target[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const call: S3Call = { operation: "DeleteObjects", location: context.location, key: targets[0]?.key ?? "" };
  const policy = { signal, repeatable: true, expected: ["unsupported"] } as const;
  let left = targets.map(({ name }) => name);
  const reply = await s3Call(context, call, policy, async (abortSignal) => {
    const answer = await context.send(batchRequest(left), abortSignal);
    const document = await documentOf(answer, "DeleteResult");
    const errors = elements(document, "Error");
    left = notDeleted(left, document, errors);
    if (left.length > 0) throw new BadAnswer(firstElement(errors.join(""), "Code") ?? "INCOMPLETE_ANSWER");
  });
  return reply.kind === "done";
}

/** `Quiet` is off, so that an answer that lost its end does not look like one without errors. */
function batchRequest(names: readonly string[]): S3Request {
  // No character of a key needs escaping.
  const objects = names.map((name) => `<Object><Key>${name}</Key></Object>`).join("");
  const body = bytesBody(
    Buffer.from(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects}</Delete>`),
  );
  // S3 requires a checksum in a header. The MD5 is the one that every store knows.
  const headers = { "content-md5": createHash("md5").update(body.bytes).digest("base64") };
  return { method: "POST", key: "", query: { delete: "" }, headers, body };
}

function notDeleted(names: readonly string[], document: string, errors: readonly string[]): string[] {
  const missing = errors.filter((error) => firstElement(error, "Code") === "NoSuchKey");
  const gone = new Set(
    [...elements(document, "Deleted"), ...missing].map((each) => firstElement(each, "Key")),
  );
  return names.filter((name) => !gone.has(name));
}
