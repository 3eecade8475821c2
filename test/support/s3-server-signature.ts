import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type S3Quirks, S3ServerError } from "./s3-server-protocol.ts";

export interface S3Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const maxSkewMs = 15 * 60 * 1000;

/** Verifies the signature (AWS Signature Version 4, in the Authorization header) of a request's head. */
export function verifySignature(request: IncomingMessage, account: S3Account, now: Date): void {
  const header = request.headers.authorization;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      header ?? "",
    );
  if (match === null) throw new S3ServerError(403, "AccessDenied");
  const [, accessKeyId, day = "", region = "", signedHeaders = "", signature = ""] = match;
  if (accessKeyId !== account.accessKeyId) throw new S3ServerError(403, "InvalidAccessKeyId");
  if (region !== account.region) {
    throw new S3ServerError(400, "AuthorizationHeaderMalformed", { Region: account.region });
  }
  const stamp = single(request, "x-amz-date");
  checkTime(stamp, now);
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", stamp, scope, sha256(canonicalRequest(request, signedHeaders))].join(
    "\n",
  );
  const key = [day, region, "s3", "aws4_request"].reduce(hmac, Buffer.from(`AWS4${account.secretAccessKey}`));
  const expected = hmac(key, toSign);
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) {
    throw new S3ServerError(403, "SignatureDoesNotMatch");
  }
}

function checkTime(stamp: string, now: Date): void {
  const iso = stamp.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, "$1-$2-$3T$4:$5:$6Z");
  if (Math.abs(Date.parse(iso) - now.getTime()) <= maxSkewMs) return;
  throw new S3ServerError(403, "RequestTimeTooSkewed", { RequestTime: stamp, ServerTime: now.toISOString() });
}

function canonicalRequest(request: IncomingMessage, signedHeaders: string): string {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const headers = signedHeaders.split(";").map((name) => `${name}:${single(request, name)}\n`);
  return [
    request.method,
    decodeURIComponent(path).split("/").map(encoded).join("/"),
    pairs.sort().join("&"),
    headers.join(""),
    signedHeaders,
    single(request, "x-amz-content-sha256"),
  ].join("\n");
}

function single(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  if (typeof value !== "string") throw new S3ServerError(403, "AccessDenied");
  return value.trim().replace(/ +/g, " ");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Verifies the length of a request's body and every digest that the request carries. */
export function verifyBody(headers: IncomingMessage["headers"], body: Buffer, quirks: S3Quirks): void {
  const length = headers["content-length"];
  if (length !== undefined && Number(length) !== body.length) throw new S3ServerError(400, "IncompleteBody");
  if (headers["x-amz-content-sha256"] !== sha256(body)) {
    throw new S3ServerError(400, "XAmzContentSHA256Mismatch");
  }
  const md5 = headers["content-md5"];
  if (md5 !== undefined && md5 !== createHash("md5").update(body).digest("base64")) {
    throw new S3ServerError(400, "BadDigest");
  }
  const checksum = headers["x-amz-checksum-sha256"];
  if (checksum === undefined || quirks.checksums === "ignored") return;
  if (quirks.checksums === "refused") throw new S3ServerError(400, "InvalidRequest");
  if (checksum !== createHash("sha256").update(body).digest("base64")) {
    throw new S3ServerError(400, "BadDigest");
  }
}

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
