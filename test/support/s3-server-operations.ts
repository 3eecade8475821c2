import { setTimeout as delay } from "node:timers/promises";
import type { IamPolicy } from "../../cli/operate/store-check/iam-policies.ts";
import {
  element,
  escapeXml,
  etagOf,
  type S3OperationName,
  type S3Quirks,
  type S3Request,
  type S3Response,
  S3ServerError,
  xmlResponse,
} from "./s3-server-protocol.ts";

interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly contentType: string;
  /** Its place in the order of arrivals and writes. */
  readonly storedAt: number;
}

export type Bucket = Map<string, StoredObject>;

export const testBucket = "programs";

export interface S3State {
  /** Of the only bucket. */
  readonly objects: Bucket;
  readonly quirks: S3Quirks;
  readonly now: () => Date;
  /** The next number of the order of arrivals and writes. */
  readonly tick: () => number;
}

/** Carries a verified request out. */
export async function execute(state: S3State, request: S3Request): Promise<S3Response> {
  const { quirks, objects } = state;
  checkPermission(quirks, request);
  if (request.bucket !== testBucket) throw new S3ServerError(404, "NoSuchBucket");
  switch (request.operation) {
    case "ListObjectsV2":
      return listObjects(objects, request.query, quirks.pageSize);
    case "DeleteObjects":
      return deleteObjects(state, request);
    case "DeleteObject":
      objects.delete(request.key);
      return empty(204);
    case "GetObject":
      return getObject(state, request);
    case "PutObject":
      return await putObject(state, request);
    case "CopyObject":
      return copyObject(state, request);
  }
}

/** As IAM decides: each key of a batch for itself. */
function checkPermission(quirks: S3Quirks, request: S3Request): void {
  const { mayGet, mayPut, mayDelete, mayList, policy } = quirks;
  const allowed = {
    GetObject: mayGet,
    PutObject: mayPut,
    CopyObject: mayPut && mayGet,
    DeleteObject: mayDelete,
    DeleteObjects: mayDelete,
    ListObjectsV2: mayList,
  };
  const granted = policy === undefined || asked(request).every((each) => isAllowed(policy, each));
  if (!allowed[request.operation] || !granted) throw new S3ServerError(403, "AccessDenied");
}

function asked(request: S3Request): readonly IamRequest[] {
  const { operation, bucket, key } = request;
  const prefix = request.query.get("prefix") ?? "";
  if (operation === "DeleteObjects") {
    return keysToDelete(request).map((each) => ({ operation: "DeleteObject", bucket, key: each, prefix }));
  }
  if (operation !== "CopyObject") return [{ operation, bucket, key, prefix }];
  return [
    { operation: "GetObject", bucket, key: copySourceOf(request), prefix },
    { operation: "PutObject", bucket, key, prefix },
  ];
}

/**
 * Whether the policy allows the operation, decided as IAM does: nothing is allowed that no statement allows.
 */
function isAllowed(policy: IamPolicy, { operation, bucket, key, prefix }: IamRequest): boolean {
  const action = actions[operation];
  // IAM takes the key of a read for the prefix when it asks whether the reader may learn that nothing is
  // there.
  const resource = action === "s3:ListBucket" ? `arn:aws:s3:::${bucket}` : `arn:aws:s3:::${bucket}/${key}`;
  return policy.Statement.some(
    ({ Action, Resource, Condition }) =>
      action !== undefined &&
      Action.includes(action) &&
      Resource.some((pattern) => isLike(pattern, resource)) &&
      (Condition === undefined ||
        Condition.StringLike["s3:prefix"].some((pattern) => isLike(pattern, prefix))),
  );
}

interface IamRequest {
  readonly operation: S3OperationName;
  readonly bucket: string;
  readonly key: string;
  /** Of a listing. */
  readonly prefix: string;
}

const actions: Readonly<Partial<Record<S3OperationName, string>>> = {
  GetObject: "s3:GetObject",
  PutObject: "s3:PutObject",
  DeleteObject: "s3:DeleteObject",
  ListObjectsV2: "s3:ListBucket",
};

function isLike(pattern: string, text: string): boolean {
  const source = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`).test(text);
}

/**
 * ListObjectsV2: pages by start-after and continuation-token, folded by delimiter, in the order of UTF-8
 * bytes.
 */
function listObjects(objects: Bucket, query: URLSearchParams, pageSize: number): S3Response {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const maxKeys = Math.min(pageSize, Number(query.get("max-keys") ?? 1000));
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64").toString();
  const isUrl = query.get("encoding-type") === "url";
  const name = (key: string) => (isUrl ? encodeURIComponent(key).replaceAll("%2F", "/") : escapeXml(key));

  const contents: string[] = [];
  const folders = new Set<string>();
  let last = "";
  let truncated = false;
  for (const [key, object] of [...objects].sort(([a], [b]) => compare(a, b))) {
    if (!key.startsWith(prefix) || compare(key, after) <= 0) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const folder = end === -1 ? undefined : key.slice(0, end + delimiter.length);
    // A token that ends inside a folder has covered the whole folder; a start-after has not.
    const covered =
      folder !== undefined && (folders.has(folder) || (token !== null && after.startsWith(folder)));
    if (!covered && contents.length + folders.size >= maxKeys) {
      truncated = true;
      break;
    }
    last = key;
    if (folder === undefined) contents.push(contentXml(name(key), object));
    else if (!covered) folders.add(folder);
  }
  const fields = [
    element("IsTruncated", String(truncated)),
    truncated ? element("NextContinuationToken", Buffer.from(last).toString("base64")) : "",
    ...contents,
    ...[...folders].map((folder) => element("CommonPrefixes", element("Prefix", name(folder)))),
  ];
  return xmlResponse(200, element("ListBucketResult", fields.join("")));
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function contentXml(key: string, { modifiedAt, etag, bytes }: StoredObject): string {
  const fields = {
    Key: key,
    LastModified: modifiedAt.toISOString(),
    ETag: escapeXml(etag),
    Size: bytes.length,
  };
  const xml = Object.entries(fields).map(([name, value]) => element(name, String(value)));
  return element("Contents", xml.join(""));
}

function deleteObjects({ objects, quirks }: S3State, request: S3Request): S3Response {
  if (quirks.deleteObjects === "missing") throw new S3ServerError(501, "NotImplemented");
  if (quirks.deleteObjects === "md5_only" && request.headers["content-md5"] === undefined) {
    throw new S3ServerError(400, "MissingContentMD5");
  }
  const keys = keysToDelete(request);
  if (keys.length === 0 || keys.length > 1000) throw new S3ServerError(400, "MalformedXML");
  for (const key of keys) objects.delete(key);
  const deleted = keys.map((key) => element("Deleted", element("Key", escapeXml(key))));
  return xmlResponse(200, element("DeleteResult", deleted.join("")));
}

function keysToDelete({ body }: S3Request): readonly string[] {
  return [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) =>
    key.replace(/&(#\d+|amp|lt|gt|quot|apos);/g, (_whole, name: string) =>
      name.startsWith("#") ? String.fromCharCode(Number(name.slice(1))) : (entities[name] ?? ""),
    ),
  );
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function getObject(state: S3State, request: S3Request): S3Response {
  const { bytes, etag, contentType, modifiedAt } = present(state, request, request.key);
  const ifNoneMatch = request.headers["if-none-match"];
  if (ifNoneMatch !== undefined && sameTag(ifNoneMatch, etag)) return { ...empty(304), headers: { etag } };
  const lastModified = modifiedAt.toUTCString();
  return {
    status: 200,
    headers: { etag, "content-type": contentType, "last-modified": lastModified },
    body: bytes,
  };
}

/**
 * Without the grant to list, S3 does not say whether an object is missing; of a read IAM takes the key for
 * the prefix.
 */
function present({ objects, quirks }: S3State, { bucket }: S3Request, key: string): StoredObject {
  const object = objects.get(key);
  if (object !== undefined) return object;
  const listing = { operation: "ListObjectsV2", bucket, key: "", prefix: key } as const;
  const maySee = quirks.mayList && (quirks.policy === undefined || isAllowed(quirks.policy, listing));
  throw maySee ? new S3ServerError(404, "NoSuchKey", { Key: key }) : new S3ServerError(403, "AccessDenied");
}

async function putObject(state: S3State, request: S3Request): Promise<S3Response> {
  checkConditions(state, state.objects.get(request.key), request);
  if (state.quirks.racyConditions) await delay(20);
  const etag = etagOf(request.body);
  state.objects.set(request.key, {
    bytes: request.body,
    etag,
    modifiedAt: wholeSeconds(state.now()),
    contentType: request.headers["content-type"] ?? "application/octet-stream",
    storedAt: state.tick(),
  });
  return { ...empty(200), headers: { etag } };
}

/** The copy keeps the type of what it is copied from. */
function copyObject(state: S3State, request: S3Request): S3Response {
  const source = present(state, request, copySourceOf(request));
  const modifiedAt = wholeSeconds(state.now());
  state.objects.set(request.key, { ...source, modifiedAt, storedAt: state.tick() });
  const fields = element("LastModified", modifiedAt.toISOString()) + element("ETag", escapeXml(source.etag));
  return xmlResponse(200, element("CopyObjectResult", fields));
}

/** The key in `x-amz-copy-source`, which is `bucket/key`, encoded, with or without a slash before it. */
function copySourceOf({ bucket, headers }: S3Request): string {
  const source = decodeURIComponent(headers["x-amz-copy-source"] ?? "").replace(/^\//, "");
  if (!source.startsWith(`${bucket}/`)) throw new S3ServerError(404, "NoSuchBucket");
  return source.slice(bucket.length + 1);
}

function checkConditions(state: S3State, stored: StoredObject | undefined, request: S3Request): void {
  const { quirks } = state;
  const { headers, arrivedAt } = request;
  if (headers["if-none-match"] !== undefined && quirks.ifNoneMatch === "honoured" && stored !== undefined) {
    throw lost(state, arrivedAt < stored.storedAt);
  }
  const ifMatch = headers["if-match"];
  if (ifMatch === undefined || quirks.ifMatch === "ignored") return;
  if (stored === undefined) throw new S3ServerError(404, "NoSuchKey");
  if (quirks.ifMatch === "unquoted" && ifMatch.startsWith('"'))
    throw new S3ServerError(412, "PreconditionFailed");
  if (!sameTag(ifMatch, stored.etag)) throw lost(state, arrivedAt < stored.storedAt);
}

/** What a put is told whose condition does not hold; `raced`: it did when the put arrived. */
function lost({ quirks, tick }: S3State, raced: boolean): S3ServerError {
  if (raced && quirks.losers === "409") return new S3ServerError(409, "ConditionalRequestConflict");
  if (raced && quirks.losers === "mixed" && tick() % 2 === 0) return new S3ServerError(500, "UnknownError");
  return new S3ServerError(412, "PreconditionFailed");
}

const sameTag = (given: string, etag: string): boolean => given === etag || `"${given}"` === etag;

/** S3 keeps times in whole seconds. */
const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);

const empty = (status: number): S3Response => ({ status, headers: {}, body: Buffer.alloc(0) });
