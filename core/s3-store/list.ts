import { Failure } from "../failure.ts";
import type { ListedObject, ObjectStore } from "../object-store.ts";
import { BadAnswer, documentOf, elements, firstElement } from "./answer.ts";
import { type S3Context, type S3Reply, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call, type S3ErrorKind } from "./s3-error.ts";

/** `list` and `listFolders` of the port. */
export function createLists(context: S3Context): Pick<ObjectStore, "list" | "listFolders"> {
  return {
    async *list(prefix, options) {
      const request = { prefix, folded: false, signal: options?.signal };
      for await (const { objects } of pages(context, { ...request, after: options?.after ?? "" }))
        yield* objects;
    },
    async *listFolders(prefix, options) {
      const request = { prefix, folded: true, signal: options?.signal, after: "" };
      for await (const { folders } of pages(context, request)) {
        for (const folder of folders) yield folder.slice(prefix.length, -1);
      }
    },
  };
}

interface PageRequest {
  /** The beginning of all keys. Like `after`, the key after which the page begins, it is without the location's prefix. */
  readonly prefix: string;
  readonly after: string;
  /** Whether keys that share a folder below `prefix` are given as one folder. */
  readonly folded: boolean;
  readonly maxKeys?: number;
  readonly signal: AbortSignal | undefined;
}

/** A page of a listing, keys and folders (ending in `/`) each in order and without the location's prefix. */
interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
  readonly truncated: boolean;
}

async function* pages(context: S3Context, request: PageRequest): AsyncGenerator<ListPage> {
  for (let { after } = request; ; ) {
    const reply = await listPage(context, { ...request, after }, []);
    if (reply.kind === "error") throw reply.failure;
    const page = reply.output;
    if (!isOrdered(page, after)) {
      throw new Failure(
        "store_unsupported",
        `${describeCall(listCall(context, request.prefix))}: the store does not list keys in order (an S3 directory bucket?); use a general-purpose bucket.`,
      );
    }
    yield page;
    if (!page.truncated) return;
    after = endOf(page);
  }
}

/** Where the page after this one begins: after its last key, or after the end of its last folder. */
function endOf({ objects, folders }: ListPage): string {
  const lastKey = objects.at(-1)?.key ?? "";
  const lastFolder = folders.at(-1)?.slice(0, -1);
  // `0` follows `/`: `a0` sorts after everything in the folder `a/` and before whatever comes next.
  const folderEnd = lastFolder === undefined ? "" : `${lastFolder}0`;
  return [lastKey, folderEnd].sort().at(-1) ?? "";
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

/**
 * Reads a page by the key after which it begins. Continuation tokens are not used, since a listing may take hours and some stores
 * forget their tokens earlier.
 */
export async function listPage(
  context: S3Context,
  { prefix, after, folded, maxKeys, signal }: PageRequest,
  expected: readonly S3ErrorKind[],
): Promise<S3Reply<ListPage>> {
  const { location, send } = context;
  const call = listCall(context, prefix);
  const query = {
    "list-type": "2",
    prefix: location.prefix + prefix,
    ...(after === "" ? {} : { "start-after": location.prefix + after }),
    ...(folded ? { delimiter: "/" } : {}),
    ...(maxKeys === undefined ? {} : { "max-keys": String(maxKeys) }),
  };
  return s3Call(context, call, { signal, repeatable: true, expected }, async (abortSignal) => {
    const answer = await send({ method: "GET", key: "", query }, abortSignal);
    return pageOf(await documentOf(answer, "ListBucketResult"), call);
  });
}

function listCall({ location }: S3Context, prefix: string): S3Call {
  return { operation: "ListObjectsV2", location, key: prefix };
}

function pageOf(document: string, call: S3Call): ListPage {
  const { prefix } = call.location;
  /** Checks each name, since the caller may delete what a page names. */
  const withoutPrefix = (name: string): string => {
    if (name.startsWith(prefix + call.key)) return name.slice(prefix.length);
    throw new Failure(
      "store_unsupported",
      `${describeCall(call)}: the store lists keys that do not begin with what was asked for; is the endpoint an S3 endpoint?`,
    );
  };
  const found = elements(document, "Contents").map((object) => ({
    key: withoutPrefix(required(object, "Key")),
    size: Number(required(object, "Size", /^\d{1,15}$/)),
    modifiedAt: new Date(required(object, "LastModified", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)),
  }));
  return {
    // The prefix itself is an object where somebody made it a "folder" in a console.
    objects: found.filter(({ key }) => key !== ""),
    folders: elements(document, "CommonPrefixes").map((folder) => withoutPrefix(required(folder, "Prefix"))),
    truncated: required(document, "IsTruncated", /^(true|false)$/) === "true",
  };
}

function required(xml: string, name: string, form = /^/): string {
  const text = firstElement(xml, name);
  if (text !== undefined && form.test(text)) return text;
  throw new BadAnswer("INCOMPLETE_ANSWER");
}
