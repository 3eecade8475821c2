import type { IncomingMessage } from "node:http";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { Failure } from "../failure.ts";
import type { ObjectKey } from "../object-key.ts";
import type { ObjectBody, PutCondition } from "../object-store.ts";
import type { PlainRequest } from "./plain-request.ts";
import { type S3Context, type S3Reply, s3Call } from "./s3-call.ts";
import type { S3ErrorKind } from "./s3-error.ts";
import { describeCall, type S3Call } from "./s3-failure.ts";
import { s3Key } from "./s3-location.ts";
import { setRequestHeader, withAnswer } from "./sdk-request.ts";

export interface PutRequest {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly condition: PutCondition | undefined;
  /** Whether the request has the SHA-256 for S3 to verify and keep. Some stores refuse that header. */
  readonly withChecksum: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Returns the new ETag, or one of the errors that `expectedOf` lists. */
export async function putObject(context: S3Context, request: PutRequest): Promise<S3Reply<string>> {
  const { key, body, condition, signal } = request;
  const call: S3Call = { operation: "PutObject", location: context.location, key };
  const policy = {
    signal,
    // A repeated put-if-match can overtake its own first attempt and report a conflict with itself.
    repeatable: condition?.kind !== "match",
    expected: expectedOf(condition),
    timeoutMs: context.timeoutMs + uploadMs(body.size),
  };
  const { client, plainSend, location } = context;
  const fullKey = s3Key(location, key);
  return s3Call(context, call, policy, async (abortSignal) => {
    const answer = await plainSend(plainPut(fullKey, request), abortSignal);
    const stored = answer && plainTag(answer);
    if (stored !== undefined) return stored;
    const command = putCommand(location.bucket, fullKey, request);
    const sent = answer === undefined ? command : withAnswer(command, answer);
    const output = await client.send(sent, { abortSignal });
    if (output.ETag !== undefined) return output.ETag;
    throw new Failure("store_unsupported", `${describeCall(call)}: the answer has no ETag.`);
  });
}

function plainPut(key: string, { body, condition, withChecksum }: PutRequest): PlainRequest {
  const headers: Record<string, string> = {
    "content-length": String(body.size),
    "content-type": contentType(key),
  };
  if (withChecksum) headers["x-amz-checksum-sha256"] = base64Digest(body);
  if (condition?.kind === "absent") headers["if-none-match"] = "*";
  if (condition?.kind === "match") headers["if-match"] = condition.etag;
  return { method: "PUT", key, headers, body: body.bytes, sha256: body.sha256 };
}

/** The ETag of a usual answer, which has no body; `undefined` for all other answers. */
function plainTag(answer: IncomingMessage): string | undefined {
  const { etag, "content-length": size } = answer.headers;
  if (answer.statusCode !== 200 || size !== "0" || etag === undefined || etag === "") return undefined;
  answer.resume();
  return etag;
}

function putCommand(
  bucket: string,
  key: string,
  { body, condition, withChecksum }: PutRequest,
): PutObjectCommand {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    Body: body.bytes,
    ContentLength: body.size,
    ContentType: contentType(key),
    IfNoneMatch: condition?.kind === "absent" ? "*" : undefined,
    IfMatch: condition?.kind === "match" ? condition.etag : undefined,
    ChecksumSHA256: withChecksum ? base64Digest(body) : undefined,
  });
  command.middlewareStack.add(
    (next) => (args) => {
      // The signature includes this digest, so every store verifies it, also those without checksums. The SDK would hash
      // the bytes again.
      setRequestHeader(args.request, "x-amz-content-sha256", body.sha256);
      return next(args);
    },
    { step: "build", name: "contentSha256" },
  );
  return command;
}

function contentType(key: string): string {
  return `${key.endsWith(".txt") ? "text/plain" : "application/json"}; charset=utf-8`;
}

function base64Digest({ sha256 }: ObjectBody): string {
  return Buffer.from(sha256, "hex").toString("base64");
}

/** The errors that a put understands. */
function expectedOf(condition: PutCondition | undefined): readonly S3ErrorKind[] {
  switch (condition?.kind) {
    case undefined:
      return ["unsupported"];
    case "absent":
      return ["unsupported", "precondition_failed", "conflict"];
    case "match":
      return ["unsupported", "precondition_failed", "conflict", "no_object"];
  }
}

/** The time for sending a body, which is added to the call's deadline. */
function uploadMs(size: number): number {
  return Math.ceil(size / slowestBytesPerMs);
}

const slowestBytesPerMs = 1024;
