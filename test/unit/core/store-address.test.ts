import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createAdminHostCheck } from "../../../core/process/admin-server.ts";
import { parseStoreAddress, showStoreAddress } from "../../../core/process/store-address.ts";

describe("STORE_URL", () => {
  test.each([
    ["file:/srv/store", "/srv/store"],
    ["file:///srv/store", "/srv/store"],
    ["file:///srv/my%20store", "/srv/my store"],
    ["file:relative/dir", resolve("relative/dir")],
    ["file:./dir/../other", resolve("other")],
    ["file:/srv/my store", "/srv/my store"],
  ])("%s is the folder %s", (text, directory) => {
    expect(parseStoreAddress(text)).toEqual({ kind: "file", directory });
  });

  test.each([
    ["s3://bucket", "bucket", ""],
    ["s3://bucket/", "bucket", ""],
    ["s3://my.bucket-1/a", "my.bucket-1", "a/"],
    ["s3://bucket/a/b/", "bucket", "a/b/"],
  ])("%s is the bucket %s with the prefix %j", (text, bucket, prefix) => {
    expect(parseStoreAddress(text)).toEqual({ kind: "s3", bucket, prefix });
  });

  test.each([
    ["store", "must be file:DIRECTORY"],
    ["file:/", "the root"],
    ["file://", "the root"],
    ["s3:/bucket", "must be file:DIRECTORY"],
    ["https://bucket.s3.example", "must be file:DIRECTORY"],
    ["file:", "names no directory"],
    ["file://host/srv/store", "names another host"],
    ["file:/srv/a\0b", "names no directory"],
    ["s3://", "no valid bucket"],
    ["s3:///prefix", "no valid bucket"],
    ["s3://Bucket", "no valid bucket"],
    ["s3://key:secret@bucket", "no valid bucket"],
    ["s3://bucket/a//b", "prefix"],
    ["s3://bucket/../b", "prefix"],
    ["s3://bucket/.hidden", "prefix"],
    ["s3://bucket/a?x=1", "prefix"],
  ])("%j is refused: it %s", (text, reason) => expect(() => parseStoreAddress(text)).toThrow(reason));

  test.each(["file:/srv/store", "s3://bucket/a/b/", "s3://bucket/"])(
    "%s is shown as it was written",
    (text) => expect(showStoreAddress(parseStoreAddress(text))).toBe(text),
  );
});

const isAdminHost = createAdminHostCheck(["gateway.internal", "Metrics"]);

test("the admin listener may be asked without a host, as by HTTP/1.0", () => {
  expect(isAdminHost(undefined)).toBe(true);
});

test.each([
  "",
  "rebound.example",
  "rebound.example:9090",
  "127.0.0.1.rebound.example",
  "localhost.rebound.example:9090",
  "[rebound.example]",
  "[",
  "gateway.internal.",
  "a@127.0.0.1",
])("the admin listener may not be asked as %j", (host) => expect(isAdminHost(host)).toBe(false));
