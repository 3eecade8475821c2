import { createSlots } from "../bounded-work.ts";
import type { ObjectStore } from "../object-store.ts";
import { documentOf } from "./answer.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import type { S3Call } from "./s3-failure.ts";
import { s3Key } from "./s3-location.ts";

/** `copy` of the port. The store copies by itself, and the copy keeps the object's Content-Type. */
export function createCopy(context: S3Context, maxParallelCopies: number): ObjectStore["copy"] {
  const { location, send } = context;
  const slots = createSlots(maxParallelCopies);
  return (from, to, options) => {
    const signal = options?.signal;
    const headers = { "x-amz-copy-source": `${location.bucket}/${s3Key(location, from)}` };
    const request = { method: "PUT", key: s3Key(location, to), headers } as const;
    const call: S3Call = { operation: "CopyObject", location, key: to };
    return slots(`CopyObject ${to}`, signal, async () => {
      const reply = await s3Call(
        context,
        call,
        { signal, repeatable: true, expected: ["no_object"] },
        async (abortSignal) => documentOf(await send(request, abortSignal), "CopyObjectResult"),
      );
      return { kind: reply.kind === "done" ? "copied" : "missing" };
    });
  };
}
