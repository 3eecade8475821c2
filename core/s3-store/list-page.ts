import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { Failure } from "../failure.ts";
import type { ListedObject } from "../object-store.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call } from "./s3-failure.ts";

export interface PageRequest {
  /** What the keys begin with, and where the page begins: both without the location's prefix. */
  readonly prefix: string;
  readonly after: string;
  /** Whether keys that share a folder below `prefix` are folded into one. */
  readonly folded: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A page of a listing, keys and folders (ending in `/`) each in order and without the location's prefix. */
export interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
  readonly truncated: boolean;
}

/**
 * Every page is asked for by the name after which it begins: a listing may be consumed over hours, longer than
 * some stores keep a continuation token.
 */
export async function listPage(context: S3Context, request: PageRequest): Promise<ListPage> {
  const { client, location } = context;
  const { prefix, after, folded, signal } = request;
  const call: S3Call = { operation: "ListObjectsV2", location, key: prefix };
  const input = {
    Bucket: location.bucket,
    Prefix: location.prefix + prefix,
    StartAfter: after === "" ? undefined : location.prefix + after,
    Delimiter: folded ? "/" : undefined,
  };
  const reply = await s3Call(context, call, { signal, repeatable: true, expected: [] }, async (abortSignal) =>
    pageOf(await client.send(new ListObjectsV2Command(input), { abortSignal }), call),
  );
  if (reply.kind === "error") throw reply.failure;
  if (isOrdered(reply.output, after)) return reply.output;
  throw new Failure(
    "store_unsupported",
    `${describeCall(call)}: the store does not list keys in order (an S3 directory bucket?); use a general-purpose bucket.`,
  );
}

/** Whether the page goes on after `after` and can say where the next one begins. */
function isOrdered({ objects, folders, truncated }: ListPage, after: string): boolean {
  const keys = objects.map(({ key }) => key);
  if (truncated && keys.length + folders.length === 0) return false;
  return [
    [after, ...keys],
    [after, ...folders],
  ].every((names) => names.every((name, at) => at === 0 || name > (names[at - 1] ?? "")));
}

function pageOf(output: ListObjectsV2CommandOutput, call: S3Call): ListPage {
  const { prefix } = call.location;
  /** What a page names may be deleted next, so it must name nothing but what was asked for. */
  const withoutPrefix = (name: string): string => {
    if (name.startsWith(prefix + call.key)) return name.slice(prefix.length);
    throw new Failure(
      "store_unsupported",
      `${describeCall(call)}: the store lists keys that do not begin with what was asked for; is the endpoint an S3 endpoint?`,
    );
  };
  // An answer cut before its first element parses as an empty one; a whole one always says whether more follows.
  if (output.IsTruncated === undefined) throw new IncompleteAnswer();
  const found = (output.Contents ?? []).map(({ Key, Size, LastModified }) => {
    if (Key === undefined || Size === undefined || LastModified === undefined) throw new IncompleteAnswer();
    return { key: withoutPrefix(Key), size: Size, modifiedAt: LastModified };
  });
  // The prefix itself is an object where somebody made a "folder" of it in a console.
  const objects = found.filter(({ key }) => key !== "");
  const folders = (output.CommonPrefixes ?? []).map(({ Prefix }) => {
    if (Prefix === undefined) throw new IncompleteAnswer();
    return withoutPrefix(Prefix);
  });
  return { objects, folders, truncated: output.IsTruncated };
}

/** Counts as an answer lost on the way, so the page is asked for again. */
class IncompleteAnswer extends Error {
  readonly code = "INCOMPLETE_ANSWER";
}
