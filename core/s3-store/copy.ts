import { CopyObjectCommand } from "@aws-sdk/client-s3";
import { createSlots } from "../bounded-work.ts";
import type { ObjectStore } from "../object-store.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import type { S3Call } from "./s3-failure.ts";
import { s3Key } from "./s3-location.ts";

/** `copy` of the port. The store copies by itself, and the copy keeps the object's Content-Type. */
export function createCopy(context: S3Context, maxParallelCopies: number): ObjectStore["copy"] {
  const { client, location } = context;
  const slots = createSlots(maxParallelCopies);
  return (from, to, options) => {
    const signal = options?.signal;
    const input = {
      Bucket: location.bucket,
      Key: s3Key(location, to),
      // This key is sent in a header, so it must be encoded here.
      CopySource: `${location.bucket}/${s3Key(location, from).split("/").map(encodeURIComponent).join("/")}`,
    };
    const call: S3Call = { operation: "CopyObject", location, key: to };
    return slots(`CopyObject ${to}`, signal, async () => {
      const reply = await s3Call(
        context,
        call,
        { signal, repeatable: true, expected: ["no_object"] },
        (abortSignal) => client.send(new CopyObjectCommand(input), { abortSignal }),
      );
      return { kind: reply.kind === "done" ? "copied" : "missing" };
    });
  };
}
