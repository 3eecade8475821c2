import { setTimeout as delay } from "node:timers/promises";
import { type IamRequest, isAllowed } from "./iam-decision.ts";
import {
  type Bucket,
  deleteObjects,
  keysToDelete,
  listObjects,
  type StoredObject,
  wholeSeconds,
} from "./s3-server-objects.ts";
import {
  element,
  escapeXml,
  etagOf,
  type S3OperationName,
  type S3Request,
  type S3Response,
  S3ServerError,
  xmlResponse,
} from "./s3-server-protocol.ts";
import type { S3Quirks } from "./s3-server-quirks.ts";

export interface S3State {
  readonly buckets: Map<string, Bucket>;
  readonly quirks: S3Quirks;
  readonly now: () => Date;
  readonly random: () => number;
  /** The next number of the order of arrivals and writes. */
  readonly tick: () => number;
}

/** Carries a verified request out. */
export async function execute(state: S3State, request: S3Request): Promise<S3Response> {
  const { quirks } = state;
  checkPermission(quirks, request.operation);
  checkPolicy(quirks, request);
  if (request.operation === "CreateBucket") {
    if (!state.buckets.has(request.bucket)) state.buckets.set(request.bucket, new Map());
    return empty(200);
  }
  const bucket = state.buckets.get(request.bucket);
  if (bucket === undefined) throw new S3ServerError(404, "NoSuchBucket");
  switch (request.operation) {
    case "HeadBucket":
      return empty(200);
    case "DeleteBucket":
      if (bucket.size > 0) throw new S3ServerError(409, "BucketNotEmpty");
      state.buckets.delete(request.bucket);
      return empty(204);
    case "ListObjectsV2":
      return listObjects(bucket, request, quirks.pageSize);
    case "DeleteObjects":
      if (quirks.deleteObjects === "missing") throw new S3ServerError(501, "NotImplemented");
      if (quirks.deleteObjects === "md5_only" && request.headers["content-md5"] === undefined) {
        throw new S3ServerError(400, "MissingContentMD5");
      }
      return deleteObjects(bucket, request.body);
    case "DeleteObject":
      bucket.delete(request.key);
      return empty(204);
    case "GetObject":
    case "HeadObject":
      return getObject(bucket, request, quirks);
    case "PutObject":
      return putObject(state, bucket, request);
    case "CopyObject":
      return copyObject(state, bucket, request);
  }
}

function checkPermission(quirks: S3Quirks, operation: S3OperationName): void {
  const allowed: Readonly<Record<S3OperationName, boolean>> = {
    GetObject: quirks.mayGet,
    HeadObject: quirks.mayGet,
    PutObject: quirks.mayPut,
    CopyObject: quirks.mayPut && quirks.mayGet,
    DeleteObject: quirks.mayDelete,
    DeleteObjects: quirks.mayDelete,
    ListObjectsV2: quirks.mayList,
    HeadBucket: quirks.mayList,
    CreateBucket: true,
    DeleteBucket: true,
  };
  if (!allowed[operation]) throw new S3ServerError(403, "AccessDenied");
}

/** As IAM decides: each key of a batch for itself. */
function checkPolicy({ policy }: S3Quirks, request: S3Request): void {
  if (policy === undefined) return;
  const { bucket, operation } = request;
  const prefix = request.query.get("prefix") ?? "";
  const asked = ((): readonly IamRequest[] => {
    switch (operation) {
      case "DeleteObjects":
        return keysToDelete(request.body).map((key) => ({ operation: "DeleteObject", bucket, key, prefix }));
      case "CopyObject":
        return [
          { operation: "GetObject", bucket, key: copySourceOf(request), prefix },
          { operation: "PutObject", bucket, key: request.key, prefix },
        ];
      default:
        return [{ operation, bucket, key: request.key, prefix }];
    }
  })();
  if (!asked.every((each) => isAllowed(policy, each))) throw new S3ServerError(403, "AccessDenied");
}

/** Without the grant to list, S3 does not say whether an object is missing; of a read IAM takes the key for the prefix. */
function maySeeMissing({ mayList, policy }: S3Quirks, { bucket, key }: S3Request): boolean {
  const listing = { operation: "ListObjectsV2", bucket, key: "", prefix: key } as const;
  return mayList && (policy === undefined || isAllowed(policy, listing));
}

function getObject(bucket: Bucket, request: S3Request, quirks: S3Quirks): S3Response {
  const { key, headers } = request;
  const object = bucket.get(key);
  if (object === undefined) {
    if (!maySeeMissing(quirks, request)) throw new S3ServerError(403, "AccessDenied");
    throw new S3ServerError(404, "NoSuchKey", { Key: key });
  }
  const ifMatch = headers["if-match"];
  if (ifMatch !== undefined && ifMatch !== "*" && !sameTag(ifMatch, object.etag)) {
    throw new S3ServerError(412, "PreconditionFailed");
  }
  const ifNoneMatch = headers["if-none-match"];
  if (ifNoneMatch === "*" || (ifNoneMatch !== undefined && sameTag(ifNoneMatch, object.etag))) {
    return { ...empty(304), headers: { etag: object.etag } };
  }
  return {
    status: 200,
    headers: {
      etag: object.etag,
      "content-type": object.contentType,
      "last-modified": object.modifiedAt.toUTCString(),
      "content-length": String(object.bytes.length),
    },
    body: object.bytes,
  };
}

async function putObject(state: S3State, bucket: Bucket, request: S3Request): Promise<S3Response> {
  const { quirks } = state;
  checkConditions(state, bucket.get(request.key), request);
  if (quirks.racyConditions) await delay(20);
  const object: StoredObject = {
    bytes: request.body,
    etag: etagOf(request.body),
    modifiedAt: wholeSeconds(state.now()),
    contentType: request.headers["content-type"] ?? "application/octet-stream",
    storedAt: state.tick(),
  };
  bucket.set(request.key, object);
  return { ...empty(200), headers: { etag: object.etag } };
}

/** The copy keeps the type of what it is copied from, as long as the request names no other. */
function copyObject(state: S3State, bucket: Bucket, request: S3Request): S3Response {
  const source = bucket.get(copySourceOf(request));
  if (source === undefined) {
    if (!maySeeMissing(state.quirks, { ...request, key: copySourceOf(request) })) {
      throw new S3ServerError(403, "AccessDenied");
    }
    throw new S3ServerError(404, "NoSuchKey", { Key: copySourceOf(request) });
  }
  const modifiedAt = wholeSeconds(state.now());
  bucket.set(request.key, { ...source, modifiedAt, storedAt: state.tick() });
  const fields = element("LastModified", modifiedAt.toISOString()) + element("ETag", escapeXml(source.etag));
  return xmlResponse(200, element("CopyObjectResult", fields));
}

/** The key in `x-amz-copy-source`, which is `bucket/key`, encoded, with or without a slash before it. */
function copySourceOf({ bucket, headers }: S3Request): string {
  const source = decodeURIComponent(headers["x-amz-copy-source"] ?? "").replace(/^\//, "");
  if (!source.startsWith(`${bucket}/`)) throw new S3ServerError(404, "NoSuchBucket");
  return source.slice(bucket.length + 1);
}

function checkConditions(state: S3State, present: StoredObject | undefined, request: S3Request): void {
  const { quirks } = state;
  const { headers, arrivedAt } = request;
  if (headers["if-none-match"] !== undefined && quirks.ifNoneMatch === "honoured" && present !== undefined) {
    throw lost(state, arrivedAt < present.storedAt);
  }
  const ifMatch = headers["if-match"];
  if (ifMatch === undefined || quirks.ifMatch === "ignored") return;
  if (present === undefined) throw new S3ServerError(404, "NoSuchKey");
  if (quirks.ifMatch === "unquoted" && ifMatch.startsWith('"'))
    throw new S3ServerError(412, "PreconditionFailed");
  if (!sameTag(ifMatch, present.etag)) throw lost(state, arrivedAt < present.storedAt);
}

/** What a put is told whose condition does not hold; `raced`: it did when the put arrived. */
function lost({ quirks, random }: S3State, raced: boolean): S3ServerError {
  if (raced && quirks.losers === "409") return new S3ServerError(409, "ConditionalRequestConflict");
  if (raced && quirks.losers === "mixed" && random() < 0.5) return new S3ServerError(500, "UnknownError");
  return new S3ServerError(412, "PreconditionFailed");
}

function sameTag(given: string, etag: string): boolean {
  return given === etag || `"${given}"` === etag;
}

function empty(status: number): S3Response {
  return { status, headers: {}, body: Buffer.alloc(0) };
}
