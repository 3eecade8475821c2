import {
  element,
  escapeXml,
  type S3Request,
  type S3Response,
  S3ServerError,
  xmlResponse,
} from "./s3-server-protocol.ts";

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly contentType: string;
  /** Its place in the order of arrivals and writes. */
  readonly storedAt: number;
}

/** The objects of one bucket. */
export type Bucket = Map<string, StoredObject>;

/** S3 keeps times in whole seconds. */
export function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

/** ListObjectsV2: pages by start-after and continuation-token, folded by delimiter, in the order of UTF-8 bytes. */
export function listObjects(bucket: Bucket, { query, ...request }: S3Request, pageSize: number): S3Response {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const maxKeys = Math.min(pageSize, Number(query.get("max-keys") ?? 1000));
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64").toString();
  const name =
    query.get("encoding-type") === "url"
      ? (key: string) => encodeURIComponent(key).replaceAll("%2F", "/")
      : escapeXml;

  const contents: string[] = [];
  const folders = new Set<string>();
  let last = "";
  let truncated = false;
  for (const key of sortedKeys(bucket)) {
    if (!key.startsWith(prefix) || compare(key, after) <= 0) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const folder = end === -1 ? undefined : key.slice(0, end + delimiter.length);
    // A token that ends inside a folder has covered the whole folder; a start-after has not.
    if (folder !== undefined && (folders.has(folder) || (token !== null && after.startsWith(folder)))) {
      last = key;
      continue;
    }
    if (contents.length + folders.size >= maxKeys) {
      truncated = true;
      break;
    }
    last = key;
    if (folder !== undefined) folders.add(folder);
    else contents.push(contentXml(name(key), bucket.get(key)));
  }
  const fields = [
    element("Name", request.bucket),
    element("Prefix", name(prefix)),
    element("KeyCount", String(contents.length + folders.size)),
    element("MaxKeys", String(maxKeys)),
    element("IsTruncated", String(truncated)),
    truncated ? element("NextContinuationToken", Buffer.from(last).toString("base64")) : "",
    ...contents,
    ...[...folders].map((folder) => element("CommonPrefixes", element("Prefix", name(folder)))),
  ];
  return xmlResponse(200, element("ListBucketResult", fields.join("")));
}

/** DeleteObjects: the keys of the XML body, each reported as deleted (unless quiet). */
export function deleteObjects(bucket: Bucket, body: Buffer): S3Response {
  const xml = body.toString();
  const keys = keysToDelete(body);
  if (keys.length === 0 || keys.length > 1000) throw new S3ServerError(400, "MalformedXML");
  for (const key of keys) bucket.delete(key);
  const deleted = keys.map((key) => element("Deleted", element("Key", escapeXml(key))));
  return xmlResponse(
    200,
    element("DeleteResult", xml.includes("<Quiet>true</Quiet>") ? "" : deleted.join("")),
  );
}

/** The keys that a DeleteObjects names. */
export function keysToDelete(body: Buffer): readonly string[] {
  return [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => unescapeXml(key));
}

function sortedKeys(bucket: Bucket): string[] {
  return [...bucket.keys()].sort(compare);
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function contentXml(key: string, object: StoredObject | undefined): string {
  if (object === undefined) throw new Error("listed object vanished");
  const fields = { Key: key, LastModified: object.modifiedAt.toISOString(), ETag: escapeXml(object.etag) };
  const xml = Object.entries(fields).map(([name, text]) => element(name, text));
  return element("Contents", `${xml.join("")}${element("Size", String(object.bytes.length))}`);
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|amp|lt|gt|quot|apos);/g, (whole, code?: string) =>
    code === undefined ? (entities[whole] ?? whole) : String.fromCharCode(Number(code)),
  );
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
};
