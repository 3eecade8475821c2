import { createHash } from "node:crypto";
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  type DeleteObjectsCommandOutput,
} from "@aws-sdk/client-s3";
import { createSlots } from "../bounded-work.ts";
import type { ObjectStore } from "../object-store.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import type { S3Call } from "./s3-failure.ts";
import { s3Key } from "./s3-location.ts";
import { requestBodyText, setRequestHeader } from "./sdk-request.ts";

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
      const output = await context.client.send(batchCommand(context.location.bucket, left), { abortSignal });
      left = notDeleted(left, output);
      if (left.length > 0) throw new PartlyDeleted(output);
    },
  );
  return reply.kind === "done";
}

function batchCommand(bucket: string, targets: readonly Target[]): DeleteObjectsCommand {
  const command = new DeleteObjectsCommand({
    Bucket: bucket,
    // `Quiet` is off, so that an answer that lost its end does not look like one without errors.
    Delete: { Objects: targets.map(({ Key }) => ({ Key })), Quiet: false },
  });
  command.middlewareStack.add(
    (next) => (args) => {
      // The SDK sends only a CRC-32. Older S3-compatible stores require the MD5.
      const digest = createHash("md5").update(requestBodyText(args.request)).digest("base64");
      setRequestHeader(args.request, "content-md5", digest);
      return next(args);
    },
    { step: "build", priority: "low", name: "contentMd5" },
  );
  return command;
}

function notDeleted(targets: readonly Target[], output: DeleteObjectsCommandOutput): readonly Target[] {
  const gone = new Set((output.Deleted ?? []).map(({ Key }) => Key));
  for (const error of output.Errors ?? []) if (error.Code === "NoSuchKey") gone.add(error.Key);
  return targets.filter(({ Key }) => !gone.has(Key));
}

/** Some objects of a batch are still there. `code` is the store's error code for the first of them. */
class PartlyDeleted extends Error {
  readonly code: string;

  constructor(output: DeleteObjectsCommandOutput) {
    super("partly deleted");
    this.code = output.Errors?.[0]?.Code ?? "INCOMPLETE_ANSWER";
  }
}

async function deleteSingle(
  context: S3Context,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { client, location } = context;
  const call: S3Call = { operation: "DeleteObject", location, key: target.key };
  const input = { Bucket: location.bucket, Key: target.Key };
  const reply = await s3Call(
    context,
    call,
    { signal, repeatable: true, expected: ["no_object"] },
    (abortSignal) => client.send(new DeleteObjectCommand(input), { abortSignal }),
  );
  if (reply.kind === "error" && reply.error.kind !== "no_object") throw reply.failure;
}
