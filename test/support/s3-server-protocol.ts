import { createHash } from "node:crypto";
import type { IamPolicy } from "../../cli/operate/store-check/iam-policies.ts";

type Headers = Readonly<Record<string, string>>;

/** A request as the operations see it: verified, its body whole. */
export interface S3Request {
  readonly operation: S3OperationName;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Its place in the order of arrivals and writes. */
  readonly arrivedAt: number;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export type S3OperationName =
  | "GetObject"
  | "PutObject"
  | "CopyObject"
  | "DeleteObject"
  | "DeleteObjects"
  | "ListObjectsV2";

/** What S3 answers instead of a result. */
export class S3ServerError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Headers;

  constructor(status: number, code: string, details: Headers = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Every operation that a driver may ask for. */
export function operationOf(
  method: string,
  key: string,
  query: URLSearchParams,
  headers: Headers,
): S3OperationName {
  if (key !== "" && method === "GET") return "GetObject";
  if (key !== "" && method === "PUT") return "x-amz-copy-source" in headers ? "CopyObject" : "PutObject";
  if (key !== "" && method === "DELETE") return "DeleteObject";
  if (key === "" && method === "GET" && query.get("list-type") === "2") return "ListObjectsV2";
  if (key === "" && method === "POST" && query.has("delete")) return "DeleteObjects";
  throw new S3ServerError(501, "NotImplemented");
}

export function xmlResponse(status: number, xml: string): S3Response {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  return { status, headers: { "content-type": "application/xml" }, body };
}

export function errorResponse({ status, code, details }: S3ServerError): S3Response {
  const fields = Object.entries({ Code: code, Message: code, ...details });
  return xmlResponse(
    status,
    element("Error", fields.map(([name, text]) => element(name, escapeXml(text))).join("")),
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

/** How a store deviates from S3, and what its credentials may do. Changed at will while the server runs. */
export interface S3Quirks {
  /** `unquoted`: If-Match is compared without its quotes, as Ceph's gateway up to 16 does. */
  ifMatch: "honoured" | "unquoted" | "ignored";
  ifNoneMatch: "honoured" | "ignored";
  /** Conditions are looked at first and the object is written later: right for one writer, wrong for two. */
  racyConditions: boolean;
  /** What losers of a race are told. `mixed`: 500 about every other time, as Ceph's gateway does. */
  losers: "412" | "409" | "mixed";
  checksums: "verified" | "ignored" | "refused";
  deleteObjects: "standard" | "md5_only" | "missing";
  /** Answers of GetObject without Content-Length, their end marked by the end of the connection. */
  connectionDelimited: boolean;
  mayGet: boolean;
  mayPut: boolean;
  /** Without it S3 also answers 403 instead of 404 for a missing object. */
  mayList: boolean;
  mayDelete: boolean;
  /** The error code of an answer 400 to every request; `undefined`: requests are answered. */
  refusal: string | undefined;
  /** What is granted to the credentials; everything without one. */
  policy: IamPolicy | undefined;
  /** The only access key that is accepted. */
  accessKeyId: string;
  /** What the server's clock is ahead of this machine's. */
  clockAheadMs: number;
  /** Most keys on a page of a listing. */
  pageSize: number;
}

export function standardQuirks(): S3Quirks {
  return {
    ifMatch: "honoured",
    ifNoneMatch: "honoured",
    racyConditions: false,
    losers: "412",
    checksums: "verified",
    deleteObjects: "standard",
    connectionDelimited: false,
    mayGet: true,
    mayPut: true,
    mayList: true,
    mayDelete: true,
    refusal: undefined,
    policy: undefined,
    accessKeyId: "test-key",
    clockAheadMs: 0,
    pageSize: 1000,
  };
}
