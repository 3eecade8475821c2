import { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testBucket as Bucket, type S3Server, startS3Server } from "../../support/s3-server.ts";

/** What the other tests rely on: the test server is S3 as the SDK knows it, with the SDK's own defaults. */
describe("the test S3 server", () => {
  let server: S3Server;
  let client: S3Client;
  const clients: S3Client[] = [];

  function sdk(config: S3ClientConfig = {}): S3Client {
    const made = new S3Client({ ...server.connection, forcePathStyle: true, maxAttempts: 1, ...config });
    clients.push(made);
    return made;
  }

  const errorOf = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => "no error",
      (error: unknown) => (error instanceof Error ? error.name : "unknown"),
    );

  beforeAll(async () => {
    server = await startS3Server();
    client = sdk();
  });
  beforeEach(() => server.reset());
  afterAll(async () => {
    for (const each of clients) each.destroy();
    await server.close();
  });

  test("takes the SDK's default checksums, in a header and in the trailer of a stream", async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "header" }));
    expect(server.log[0]?.headers).toHaveProperty("x-amz-checksum-crc32");
    const Body = Readable.from([Buffer.from("trailer "), Buffer.from("after "), Buffer.alloc(70_000, "x")]);
    await client.send(new PutObjectCommand({ Bucket, Key: "b", Body, ContentLength: 70_014 }));
    expect(server.log[1]?.headers).toMatchObject({
      "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
      "x-amz-trailer": "x-amz-checksum-crc32",
    });
    expect(server.objects.get("b")?.bytes.length).toBe(70_014);
  });

  test("refuses a body that is not what its checksum says", async () => {
    const ChecksumSHA256 = Buffer.alloc(32).toString("base64");
    const put = client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "x", ChecksumSHA256 }));
    expect(await errorOf(put)).toBe("BadDigest");
    expect(server.objects.size).toBe(0);
  });

  test("refuses a signature of another key, another region and another time", async () => {
    const get = (config: S3ClientConfig) =>
      errorOf(sdk(config).send(new GetObjectCommand({ Bucket, Key: "a" })));
    const { accessKeyId } = server.connection.credentials;
    expect(await get({ credentials: { accessKeyId, secretAccessKey: "other" } })).toBe(
      "SignatureDoesNotMatch",
    );
    expect(await get({ credentials: { accessKeyId: "other", secretAccessKey: "x" } })).toBe(
      "InvalidAccessKeyId",
    );
    expect(await get({ region: "us-east-1" })).toBe("AuthorizationHeaderMalformed");
    server.quirks.clockAheadMs = 16 * 60_000;
    expect(await get({})).toBe("RequestTimeTooSkewed");
    expect((await fetch(`${server.endpoint}/${Bucket}/a`)).status).toBe(403);
  });

  test("decides If-Match and If-None-Match on reads", async () => {
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "x" }));
    const get = (conditions: { IfMatch?: string | undefined; IfNoneMatch?: string | undefined }) =>
      client.send(new GetObjectCommand({ Bucket, Key: "a", ...conditions }));
    expect(await (await get({ IfMatch: ETag })).Body?.transformToString()).toBe("x");
    expect(await errorOf(get({ IfMatch: '"other"' }))).toBe("PreconditionFailed");
    await expect(get({ IfNoneMatch: ETag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
    expect((await client.send(new HeadObjectCommand({ Bucket, Key: "a" }))).ContentLength).toBe(1);
    await client.send(new HeadBucketCommand({ Bucket }));
  });

  test("lists by continuation token, in folders and with encoded names", async () => {
    for (const Key of ["t/a/1", "t/a/2", "t/b&c/1", "t/d", "u"]) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
    }
    const seen: (string | undefined)[] = [];
    for (let token: string | undefined, more = true; more; ) {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix: "t/",
        Delimiter: "/",
        MaxKeys: 1,
        ContinuationToken: token,
        EncodingType: "url",
      });
      const page = await client.send(command);
      seen.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix));
      seen.push(...(page.Contents ?? []).map(({ Key }) => Key));
      token = page.NextContinuationToken;
      more = page.IsTruncated === true;
    }
    expect(seen).toEqual(["t/a/", "t/b%26c/", "t/d"]);
  });

  test("deletes in batches and names what it deleted", async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: "a&b", Body: "x" }));
    const Objects = [{ Key: "a&b" }, { Key: "none" }];
    const { Deleted } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted).toEqual(Objects);
    expect(server.objects.size).toBe(0);
  });

  test("is steered and read from another process over HTTP", async () => {
    const post = (what: string, value: unknown) =>
      fetch(`${server.endpoint}/_control/${what}`, { method: "POST", body: JSON.stringify(value) });
    await post("faults", { kind: "throttled", operation: "GetObject" });
    await post("quirks", { mayPut: false });
    expect(await errorOf(client.send(new GetObjectCommand({ Bucket, Key: "a" })))).toMatch(
      /SlowDown|TooManyRequests/,
    );
    expect(await errorOf(client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "x" })))).toBe(
      "AccessDenied",
    );
    const log = await (await fetch(`${server.endpoint}/_control/log`)).json();
    expect(log).toMatchObject([
      { number: 1, operation: "GetObject", key: "a", fault: "throttled" },
      { number: 2, operation: "PutObject", key: "a", status: 403 },
    ]);
    await post("reset", {});
    expect(server.quirks.mayPut).toBe(true);
    expect(server.log).toEqual([]);
  });

  test("holds an answer back until its hook is done, with the request already carried out", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      server.onRequest(
        () =>
          new Promise((letGo) => {
            release = letGo;
            resolve();
          }),
      );
    });
    const put = client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "x" }));
    await held;
    expect(server.objects.has("a")).toBe(true);
    release();
    await put;
  });

  test("the same seed gives the same faults", async () => {
    const outcomes = async (seed: number): Promise<string> => {
      const other = await startS3Server({ seed });
      for (const kind of ["before", "throttled"] as const) {
        other.faults.add({ kind, times: Number.POSITIVE_INFINITY, probability: 0.4 });
      }
      const own = sdk(other.connection);
      const seen: string[] = [];
      for (let call = 0; call < 20; call += 1)
        seen.push(await errorOf(own.send(new HeadBucketCommand({ Bucket }))));
      await other.close();
      return seen.join();
    };
    const [first, again, another] = [await outcomes(5), await outcomes(5), await outcomes(6)];
    expect(first).toBe(again);
    expect(first).not.toBe(another);
  });
});
