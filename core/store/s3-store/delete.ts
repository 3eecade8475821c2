import { createHash } from "node:crypto";
import { forEachBounded } from "../../ground/bounded-work.ts";
import { bytesBody } from "../object-body.ts";
import type { ObjectStore } from "../object-store.ts";
import { BadAnswer, documentOf, elements, firstElement } from "./answer.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { type S3Call, s3Key, unlessKind } from "./s3-error.ts";
import type { S3Request } from "./send.ts";

/** S3's limit on a batch. */
const maxBatch = 1000;
const maxParallelSingles = 16;

/** `delete` of the port. Google Cloud Storage has no batches, as its first refusal shows. */
export function createDelete(context: S3Context): ObjectStore["delete"] {
  const { location, send } = context;
  let hasBatches = true;

  async function deleteOne({ key, name }: Target, signal: AbortSignal | undefined): Promise<void> {
    const call: S3Call = { operation: "DeleteObject", location, key };
    const calling = s3Call(context, call, { signal }, async (abortSignal) => {
      (await send({ method: "DELETE", key: name }, abortSignal)).resume();
    });
    await unlessKind(calling, "no_object");
  }

  /** Deletes at most 1,000 objects by one request; `undefined` when the store has no such request. */
  async function deleteBatch(
    targets: readonly Target[],
    signal: AbortSignal | undefined,
  ): Promise<boolean | undefined> {
    const call: S3Call = { operation: "DeleteObjects", location, key: targets[0]?.key ?? "" };
    let left = targets.map(({ name }) => name);
    const calling = s3Call(context, call, { signal }, async (abortSignal) => {
      const answer = await send(batchRequest(left), abortSignal);
      const document = await documentOf(answer, "DeleteResult");
      const errors = elements(document, "Error");
      const missing = errors.filter((error) => firstElement(error, "Code") === "NoSuchKey");
      const gone = [...elements(document, "Deleted"), ...missing].map((each) => firstElement(each, "Key"));
      const names = new Set(gone);
      left = left.filter((name) => !names.has(name));
      if (left.length === 0) return true;
      throw new BadAnswer(firstElement(errors.join(""), "Code") ?? "INCOMPLETE_ANSWER", answer);
    });
    return await unlessKind(calling, "unsupported");
  }

  return async (keys, { signal } = {}) => {
    // All keys are checked before the first object is deleted.
    const targets = keys.map((key) => ({ key, name: s3Key(location, key) }));
    for (let from = 0; from < targets.length; from += maxBatch) {
      const batch = targets.slice(from, from + maxBatch);
      if (batch.length > 1 && hasBatches) {
        hasBatches = (await deleteBatch(batch, signal)) === true;
        if (hasBatches) continue;
      }
      await forEachBounded(batch, maxParallelSingles, (target) => deleteOne(target, signal));
    }
  };
}

interface Target {
  readonly key: string;
  /** The key with the location's prefix. */
  readonly name: string;
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
