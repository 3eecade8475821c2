import type { ListedObject, ObjectStore } from "../object-store.ts";
import { type ListPage, listPage } from "./list-page.ts";
import type { S3Context } from "./s3-call.ts";

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

/** What a folded page's successor begins after: its last key, or the end of its last folder. */
function endOf(page: ListPage): string {
  const lastKey = page.objects.at(-1)?.key ?? "";
  const lastFolder = page.folders.at(-1)?.slice(0, -1);
  // `0` follows `/`: `a0` sorts after everything in the folder `a/` and before whatever comes next.
  const folderEnd = lastFolder === undefined ? "" : `${lastFolder}0`;
  return [lastKey, folderEnd].sort().at(-1) ?? "";
}
