import { createHash } from "node:crypto";
import { bytesBody } from "../object-body.ts";
import type { ObjectStore } from "../object-store.ts";
import { BadAnswer, documentOf, elements, firstElement } from "./answer.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { type S3Call, s3Key } from "./s3-error.ts";
import type { S3Request } from "./send.ts";

/** S3's limit on a batch. */
const maxBatch = 1000;

/** `delete` of the port, by batch requests even for one object. */
export function createDelete(context: S3Context): ObjectStore["delete"] {
  return async (keys, options) => {
    // All keys are checked before the first object is deleted.
    const names = keys.map((key) => s3Key(context.location, key));
    for (let from = 0; from < keys.length; from += maxBatch) {
      const call = { operation: "DeleteObjects", location: context.location, key: keys[from] ?? "" } as const;
      await deleteBatch(context, call, names.slice(from, from + maxBatch), options?.signal);
    }
  };
}

/** Deletes at most 1,000 objects by one request. `names`: their keys with the location's prefix. */
async function deleteBatch(
  context: S3Context,
  call: S3Call,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let left = names;
  await s3Call(context, call, { signal, repeatable: true, expected: [] }, async (abortSignal) => {
    const answer = await context.send(batchRequest(left), abortSignal);
    const document = await documentOf(answer, "DeleteResult");
    const errors = elements(document, "Error");
    left = notDeleted(left, document, errors);
    if (left.length > 0) throw new BadAnswer(firstElement(errors.join(""), "Code") ?? "INCOMPLETE_ANSWER");
  });
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

function notDeleted(
  names: readonly string[],
  document: string,
  errors: readonly string[],
): readonly string[] {
  const missing = errors.filter((error) => firstElement(error, "Code") === "NoSuchKey");
  const gone = new Set(
    [...elements(document, "Deleted"), ...missing].map((each) => firstElement(each, "Key")),
  );
  return names.filter((name) => !gone.has(name));
}
