import { createHash } from "node:crypto";

/** A request as the operations see it: verified, its body whole and decoded. */
export interface S3Request {
  readonly operation: S3OperationName;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Its place in the order of arrivals and writes. */
  readonly arrivedAt: number;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type S3OperationName =
  | "GetObject"
  | "HeadObject"
  | "PutObject"
  | "CopyObject"
  | "DeleteObject"
  | "DeleteObjects"
  | "ListObjectsV2"
  | "HeadBucket"
  | "CreateBucket"
  | "DeleteBucket";

/** What S3 answers instead of a result. */
export class S3ServerError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, string>>;

  constructor(status: number, code: string, details: Readonly<Record<string, string>> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export function operationOf(
  method: string,
  bucket: string,
  key: string,
  query: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): S3OperationName {
  if (method === "PUT" && key !== "" && headers["x-amz-copy-source"] !== undefined) return "CopyObject";
  const name = key === "" ? bucketOperation(method, query) : objectOperations[method];
  if (name === undefined || bucket === "") throw new S3ServerError(501, "NotImplemented");
  return name;
}

function bucketOperation(method: string, query: URLSearchParams): S3OperationName | undefined {
  if (method === "GET" && query.get("list-type") === "2") return "ListObjectsV2";
  if (method === "POST" && query.has("delete")) return "DeleteObjects";
  if (method === "HEAD") return "HeadBucket";
  if (method === "PUT" && query.size === 0) return "CreateBucket";
  if (method === "DELETE" && query.size === 0) return "DeleteBucket";
  return undefined;
}

const objectOperations: Readonly<Record<string, S3OperationName>> = {
  GET: "GetObject",
  HEAD: "HeadObject",
  PUT: "PutObject",
  DELETE: "DeleteObject",
};

export function xmlResponse(status: number, xml: string): S3Response {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  return { status, headers: { "content-type": "application/xml" }, body };
}

export function errorResponse(error: S3ServerError): S3Response {
  const details = Object.entries({ Code: error.code, Message: error.code, ...error.details });
  return xmlResponse(
    error.status,
    element("Error", details.map(([name, text]) => element(name, escapeXml(text))).join("")),
  );
}

export function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** S3's ETag of an object that was put whole. */
export function etagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}
