import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { Failure } from "../failure.ts";
import type { ListedObject, ObjectStore } from "../object-store.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call } from "./s3-failure.ts";

/** `list` of the port. */
export function createList(context: S3Context): ObjectStore["list"] {
  return (prefix, options) => listObjects(context, prefix, options?.after ?? "", options?.signal);
}

/** `listFolders` of the port. */
export function createListFolders(context: S3Context): ObjectStore["listFolders"] {
  return (prefix, options) => listFolders(context, prefix, options?.signal);
}

async function* listObjects(
  context: S3Context,
  prefix: string,
  start: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListedObject> {
  for (let after: string | undefined = start; after !== undefined; ) {
    const page: ListPage = await listPage(context, { prefix, after, folded: false, signal });
    yield* page.objects;
    after = page.truncated ? page.objects.at(-1)?.key : undefined;
  }
}

async function* listFolders(
  context: S3Context,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: ListPage = await listPage(context, { prefix, after, folded: true, signal });
    for (const folder of page.folders) yield folder.slice(prefix.length, -1);
    after = page.truncated ? endOf(page) : undefined;
  }
}

/** Where the page after a folded one begins: after its last key, or after the end of its last folder. */
function endOf(page: ListPage): string {
  const lastKey = page.objects.at(-1)?.key ?? "";
  const lastFolder = page.folders.at(-1)?.slice(0, -1);
  // `0` follows `/`: `a0` sorts after everything in the folder `a/` and before whatever comes next.
  const folderEnd = lastFolder === undefined ? "" : `${lastFolder}0`;
  return [lastKey, folderEnd].sort().at(-1) ?? "";
}

interface PageRequest {
  /** The beginning of all keys. Like `after`, the key after which the page begins, it is without the location's prefix. */
  readonly prefix: string;
  readonly after: string;
  /** Whether keys that share a folder below `prefix` are given as one folder. */
  readonly folded: boolean;
  readonly signal: AbortSignal | undefined;
}

/** A page of a listing, keys and folders (ending in `/`) each in order and without the location's prefix. */
interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
  readonly truncated: boolean;
}

/**
 * Reads a page by the key after which it begins. Continuation tokens are not used, since a listing may take hours and some stores
 * forget their tokens earlier.
 */
async function listPage(context: S3Context, request: PageRequest): Promise<ListPage> {
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

/** Whether the page continues after `after` in order, and shows where the next page begins. */
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
  /** Checks each name, since the caller may delete what a page names. */
  const withoutPrefix = (name: string): string => {
    if (name.startsWith(prefix + call.key)) return name.slice(prefix.length);
    throw new Failure(
      "store_unsupported",
      `${describeCall(call)}: the store lists keys that do not begin with what was asked for; is the endpoint an S3 endpoint?`,
    );
  };
  // An answer that was cut off before its first element looks like an empty one. A complete one always has `IsTruncated`.
  if (output.IsTruncated === undefined) throw new IncompleteAnswer();
  const found = (output.Contents ?? []).map(({ Key, Size, LastModified }) => {
    if (Key === undefined || Size === undefined || LastModified === undefined) throw new IncompleteAnswer();
    return { key: withoutPrefix(Key), size: Size, modifiedAt: LastModified };
  });
  // The prefix itself is an object where somebody made it a "folder" in a console.
  const objects = found.filter(({ key }) => key !== "");
  const folders = (output.CommonPrefixes ?? []).map(({ Prefix }) => {
    if (Prefix === undefined) throw new IncompleteAnswer();
    return withoutPrefix(Prefix);
  });
  return { objects, folders, truncated: output.IsTruncated };
}

/** Treated like an answer that was lost on the way, so the page is read again. */
class IncompleteAnswer extends Error {
  readonly code = "INCOMPLETE_ANSWER";
}
