import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { S3ServerError } from "./s3-server-protocol.ts";
import type { S3Quirks } from "./s3-server-quirks.ts";

type Headers = Readonly<Record<string, string>>;

/** The body that a request means: decoded from aws-chunked, its length and every digest that it carries verified. */
export function decodedBody(headers: Headers, raw: Buffer, quirks: S3Quirks): Buffer {
  const digest = headers["x-amz-content-sha256"] ?? "";
  const streamed = digest.startsWith("STREAMING-");
  const { body, trailers } = streamed ? fromAwsChunked(raw) : { body: raw, trailers: {} };
  const length = headers[streamed ? "x-amz-decoded-content-length" : "content-length"];
  if (length !== undefined && Number(length) !== body.length) throw new S3ServerError(400, "IncompleteBody");
  if (!streamed && digest !== "UNSIGNED-PAYLOAD" && digest !== hash("sha256", body, "hex")) {
    throw new S3ServerError(400, "XAmzContentSHA256Mismatch");
  }
  const md5 = headers["content-md5"];
  if (md5 !== undefined && md5 !== hash("md5", body, "base64")) throw new S3ServerError(400, "BadDigest");
  verifyChecksums({ ...headers, ...trailers }, body, quirks);
  return body;
}

/** S3's "flexible checksums", from headers or trailers. */
function verifyChecksums(headers: Headers, body: Buffer, quirks: S3Quirks): void {
  const names = Object.keys(headers).filter((name) => /^x-amz-checksum-(?!mode$)/.test(name));
  if (names.length === 0 || quirks.checksums === "ignored") return;
  if (quirks.checksums === "refused") throw new S3ServerError(400, "InvalidRequest");
  for (const name of names) {
    const expected = checksums[name]?.(body);
    if (expected === undefined) throw new S3ServerError(400, "InvalidRequest");
    if (expected !== headers[name]) throw new S3ServerError(400, "BadDigest");
  }
}

const checksums: Readonly<Record<string, (body: Buffer) => string>> = {
  "x-amz-checksum-sha256": (body) => hash("sha256", body, "base64"),
  "x-amz-checksum-sha1": (body) => hash("sha1", body, "base64"),
  "x-amz-checksum-crc32": (body) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body));
    return bytes.toString("base64");
  },
};

function fromAwsChunked(raw: Buffer): { readonly body: Buffer; readonly trailers: Headers } {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = lineAt(raw, at);
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) throw new S3ServerError(400, "IncompleteBody");
    at += line.length + 2;
    if (size === 0) break;
    chunks.push(raw.subarray(at, at + size));
    at += size + 2;
  }
  const trailers: Record<string, string> = {};
  for (let line = lineAt(raw, at); line !== ""; line = lineAt(raw, at)) {
    const colon = line.indexOf(":");
    trailers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    at += line.length + 2;
  }
  return { body: Buffer.concat(chunks), trailers };
}

function lineAt(raw: Buffer, at: number): string {
  const end = raw.indexOf("\r\n", at);
  if (end === -1) throw new S3ServerError(400, "IncompleteBody");
  return raw.toString("latin1", at, end);
}

function hash(algorithm: string, body: Buffer, encoding: "hex" | "base64"): string {
  return createHash(algorithm).update(body).digest(encoding);
}
