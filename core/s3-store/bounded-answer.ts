import { pipeline, Readable, Transform } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";

/** Enough for a page of 1,000 keys of 1,024 escaped bytes, with what S3 says about each. */
const maxAnswerBytes = 8 * 1024 * 1024;
/** S3's errors have some hundred bytes, and a proxy's error page a few thousand. */
const maxErrorBytes = 64 * 1024;

/**
 * Bounds all answers that the SDK reads into memory: listings, errors, everything but the body of an object. Otherwise a store
 * that never ends an answer could fill the memory before the call's deadline.
 */
export function boundAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const { response } = result;
      if (!isAnswer(response)) return result;
      const isError = response.statusCode >= 300;
      // The driver reads an object's body itself and checks its length.
      if (!isError && context.commandName === "GetObjectCommand") return result;
      response.body = bounded(response.body, isError ? maxErrorBytes : maxAnswerBytes);
      return result;
    },
    // This middleware is the nearest to the network, so nothing has read the body yet.
    { step: "deserialize", priority: "low", name: "boundAnswers" },
  );
}

/** Treated like an error of the network: another attempt may get a better answer. */
class AnswerTooLarge extends Error {
  readonly code = "ANSWER_TOO_LARGE";
}

function bounded(body: Readable, maxBytes: number): Readable {
  let left = maxBytes;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new AnswerTooLarge(`more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  // An error of either stream ends both, and reading throws it.
  return pipeline(body, limit, () => {});
}

function isAnswer(response: unknown): response is { readonly statusCode: number; body: Readable } {
  return (
    typeof response === "object" &&
    response !== null &&
    "statusCode" in response &&
    typeof response.statusCode === "number" &&
    "body" in response &&
    response.body instanceof Readable
  );
}
