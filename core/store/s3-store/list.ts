import { Failure } from "../../ground/failure.ts";
import type { ListedObject, ObjectStore } from "../object-store.ts";
import { BadAnswer, documentOf, elements, firstElement } from "./answer.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { describeCall, type S3Call } from "./s3-error.ts";

/** A page of a listing, keys and folders (ending in `/`) each in order and without the location's prefix. */
interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
  readonly isTruncated: boolean;
}

/** `list` and `listFolders` of the port. */
export function createLists(context: S3Context): Pick<ObjectStore, "list" | "listFolders"> {
  const { location, send } = context;

  /**
   * Reads page after page, each by the key after which it begins. Continuation tokens are not used, since
   * some stores forget them before a long listing ends. `query`: what all pages ask for beside the prefix.
   */
  async function* pages(
    prefix: string,
    query: Readonly<Record<string, string>>,
    begin: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ListPage> {
    const call: S3Call = { operation: "ListObjectsV2", location, key: prefix };
    for (let after = begin; ; ) {
      const start = after === "" ? {} : { "start-after": location.prefix + after };
      const asked = { "list-type": "2", prefix: location.prefix + prefix, ...start, ...query };
      const page = await s3Call(context, call, { signal }, async (abortSignal) => {
        const answer = await send({ method: "GET", key: "", query: asked }, abortSignal);
        return pageOf(await documentOf(answer, "ListBucketResult"), call);
      });
      if (!isOrdered(page, after)) {
        const text =
          "the store does not list keys in order (an S3 directory bucket?); use a general-purpose bucket";
        throw new Failure("store_unsupported", `${describeCall(call)}: ${text}.`);
      }
      yield page;
      if (!page.isTruncated) return;
      after = endOf(page);
    }
  }

  return {
    async *list(prefix, { after = "", signal } = {}) {
      for await (const { objects } of pages(prefix, {}, after, signal)) yield* objects;
    },
    async *listFolders(prefix, { signal } = {}) {
      for await (const { folders } of pages(prefix, { delimiter: "/" }, "", signal)) {
        for (const folder of folders) yield folder.slice(prefix.length, -1);
      }
    },
  };
}

/** Where the page after this one begins: after its last key, or after the end of its last folder. */
function endOf({ objects, folders }: ListPage): string {
  const lastKey = objects.at(-1)?.key ?? "";
  // `0` follows `/`: `a0` sorts after everything in the folder `a/` and before whatever comes next.
  const folderEnd = folders.at(-1)?.replace(/\/$/, "0") ?? "";
  return [lastKey, folderEnd].sort().at(-1) ?? "";
}

/** Whether the page continues after `after` in order, and shows where the next page begins. */
function isOrdered({ objects, folders, isTruncated }: ListPage, after: string): boolean {
  const keys = objects.map(({ key }) => key);
  if (isTruncated && keys.length + folders.length === 0) return false;
  const inOrder = (names: readonly string[]): boolean =>
    names.every((name, at) => name > (at === 0 ? after : (names[at - 1] ?? "")));
  return inOrder(keys) && inOrder(folders);
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
    isTruncated: required(document, "IsTruncated", /^(true|false)$/) === "true",
  };
}

function required(xml: string, name: string, form = /^/): string {
  const text = firstElement(xml, name);
  if (text !== undefined && form.test(text)) return text;
  throw new BadAnswer("INCOMPLETE_ANSWER");
}
