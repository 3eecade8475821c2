import { Agent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bytesBody, readBody, sha256Hex } from "../../../core/object-body.ts";
import { createGet } from "../../../core/s3-store/get.ts";
import { createPlainSend, type PlainRequest } from "../../../core/s3-store/plain-request.ts";
import { createPut } from "../../../core/s3-store/put.ts";
import { requestTemplate } from "../../../core/s3-store/request-template.ts";
import type { S3Context } from "../../../core/s3-store/s3-call.ts";
import { createSign } from "../../../core/s3-store/signature.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { key } from "../../support/object-store-probes.ts";
import { type S3Server, startS3Server, testBucket } from "../../support/s3-server.ts";

const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
const agents = { httpAgent: new Agent({ keepAlive: true }), httpsAgent: new HttpsAgent() };
const noBody = sha256Hex(Buffer.alloc(0));
const getRequest: PlainRequest = {
  method: "GET",
  key: "a.json",
  headers: {},
  body: undefined,
  sha256: noBody,
};

// A suite against another store names it in the environment.
withAwsEnvironment(() => ({ AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" }));

describe("requests past the SDK's middleware (P41)", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  beforeEach(() => server.reset());
  afterAll(async () => {
    agents.httpAgent.destroy();
    await server.close();
  });

  test("are signed as the SDK's signer signs them", async () => {
    const client = new S3Client({ region: "eu-west-1", credentials });
    const sign = createSign("eu-west-1", "s3");
    const segment = fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,20}$/);
    const visible = fc.stringMatching(/^[!-~][ -~]{0,40}$/);
    const request = fc.record({
      path: fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => `/${segments.join("/")}`),
      tag: fc.option(visible, { nil: undefined }),
      sessionToken: fc.option(visible, { nil: undefined }),
      accessKeyId: segment,
      secretAccessKey: visible,
      method: fc.constantFrom("GET", "PUT"),
      now: fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true }),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ path, tag, method, now, ...rest }) => {
        const { accessKeyId, secretAccessKey, sessionToken } = rest;
        const identity = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
        const headers = { host: "store.example:9000", ...(tag && { "if-none-match": tag }) };
        const sdk = new S3Client({ region: "eu-west-1", credentials: identity });
        const signer = await sdk.config.signer({
          name: "sigv4",
          signingName: "s3",
          signingRegion: "eu-west-1",
          properties: {},
        });
        const unsigned = { method, path, headers: { ...headers, "x-amz-content-sha256": noBody } };
        const theirs = await signer.sign(
          { ...unsigned, protocol: "https:", hostname: "store.example", query: {} } as never,
          { signingDate: now },
        );
        const ours = sign({ method, path, headers, sha256: noBody }, identity, now);
        expect(ours).toEqual(theirs.headers);
      }),
    );
    client.destroy();
  });

  test.each<[string, S3ClientConfig, object]>([
    ["the bucket in the host name", {}, { isTls: true, host: "bucket.s3.eu-west-1.amazonaws.com" }],
    [
      "the bucket in the path",
      { forcePathStyle: true },
      { host: "s3.eu-west-1.amazonaws.com", pathPrefix: "/bucket/" },
    ],
    ["FIPS", { useFipsEndpoint: true }, { host: "bucket.s3-fips.eu-west-1.amazonaws.com" }],
    [
      "dual stack",
      { useDualstackEndpoint: true },
      { host: "bucket.s3.dualstack.eu-west-1.amazonaws.com", pathPrefix: "/" },
    ],
    [
      "an endpoint with a port and a path",
      { endpoint: "http://[::1]:9000/s3", forcePathStyle: true },
      { isTls: false, hostname: "::1", port: 9000, host: "[::1]:9000", pathPrefix: "/s3/bucket/" },
    ],
    [
      "a region that is found out",
      { region: async () => "ap-south-1" },
      { host: "bucket.s3.ap-south-1.amazonaws.com", region: "ap-south-1", service: "s3" },
    ],
  ])("go where the SDK's settings send them: %s", async (_name, config, expected) => {
    const client = new S3Client({ region: "eu-west-1", credentials, ...config });
    expect(await requestTemplate(client, "bucket")).toMatchObject(expected);
    client.destroy();
  });

  test("bear credentials that are good now, and ask for others as soon as these have run out", async () => {
    const { endpoint, region, credentials: good } = server.connection;
    let asked = 0;
    let known = { ...good, secretAccessKey: "of yesterday", expiration: new Date(Date.now() - 1) };
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: async () => {
        asked += 1;
        return known;
      },
    });
    const send = createPlainSend(client, agents, testBucket);
    const status = async (): Promise<number | undefined> => {
      const answer = await send(getRequest, new AbortController().signal);
      answer?.resume();
      return answer?.statusCode;
    };
    expect(await status()).toBe(403);
    known = { ...good, expiration: new Date(Date.now() + 3_600_000) };
    expect(await status()).toBe(404);
    const askedSoFar = asked;
    expect(await status()).toBe(404);
    expect(asked).toBe(askedSoFar);
    client.destroy();
  });

  test("fail as long as there are no credentials, and go out once there are", async () => {
    const { endpoint, region, credentials: good } = server.connection;
    let known: typeof good | undefined;
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: async () => {
        if (known === undefined) throw new Error("none yet");
        return known;
      },
    });
    const send = createPlainSend(client, agents, testBucket);
    const signal = new AbortController().signal;
    await expect(send(getRequest, signal)).rejects.toThrow("none yet");
    known = good;
    const answer = await send(getRequest, signal);
    expect(answer?.statusCode).toBe(404);
    answer?.resume();
    client.destroy();
  });

  test("are the SDK's where it alone can send them, and mean the same", async () => {
    const { endpoint, region, credentials: good } = server.connection;
    const client = new S3Client({ endpoint, region, credentials: good, forcePathStyle: true });
    const context: S3Context = {
      client,
      plainSend: async () => undefined,
      location: { bucket: testBucket, prefix: "" },
      timeoutMs: 60_000,
    };
    const get = createGet(context);
    const put = createPut(context, get, 4);
    const stored = await put(key("a.json"), bytesBody(Buffer.from("{}")), { condition: { kind: "absent" } });
    if (stored.kind !== "stored") throw new Error("not stored");
    const found = await get(key("a.json"));
    if (found.kind !== "object") throw new Error("not found");
    expect((await readBody(found, 10, "a.json")).toString()).toBe("{}");
    expect(found.etag).toBe(stored.etag);
    expect(await get(key("a.json"), { ifNoneMatch: stored.etag })).toEqual({ kind: "not_modified" });
    expect(await get(key("b.json"))).toEqual({ kind: "missing" });
    expect(await put(key("a.json"), bytesBody(Buffer.from("[]")), { condition: { kind: "absent" } })).toEqual(
      { kind: "refused" },
    );
    client.destroy();
  });
});
