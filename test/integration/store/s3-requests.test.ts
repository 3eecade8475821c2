import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../core/store/object-body.ts";
import { bucketEndpoint } from "../../../core/store/s3-store/sdk-client.ts";
import { encodedQuery } from "../../../core/store/s3-store/send.ts";
import { createSign } from "../../../core/store/s3-store/signature.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";

const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
const noBody = sha256Hex(Buffer.alloc(0));

// A suite against another store names it in the environment.
withAwsEnvironment(() => ({ AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" }));

describe("requests without the SDK's middleware", () => {
  test("are signed as the SDK's signer signs them", async () => {
    const client = new S3Client({ region: "eu-west-1", credentials });
    const sign = createSign("eu-west-1", "s3");
    const segment = fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,20}$/);
    const visible = fc.stringMatching(/^[!-~][ -~]{0,40}$/);
    const request = fc.record({
      path: fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => `/${segments.join("/")}`),
      tag: fc.option(visible, { nil: undefined }),
      query: fc.dictionary(segment, visible, { maxKeys: 3 }),
      sessionToken: fc.option(visible, { nil: undefined }),
      accessKeyId: segment,
      secretAccessKey: visible,
      method: fc.constantFrom("GET", "PUT"),
      now: fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true }),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ path, query, tag, method, now, ...rest }) => {
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
          { ...unsigned, protocol: "https:", hostname: "store.example", query } as never,
          { signingDate: now },
        );
        const ours = sign(
          { method, path, query: encodedQuery(query), headers, sha256: noBody },
          identity,
          now,
        );
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
      { host: "bucket.s3.ap-south-1.amazonaws.com" },
    ],
  ])("go where the SDK's settings send them: %s", async (_name, config, expected) => {
    const client = new S3Client({ region: "eu-west-1", credentials, ...config });
    const endpoint = await bucketEndpoint(client, "bucket");
    expect(endpoint).toMatchObject(expected);
    const region = endpoint.host.includes("ap-south-1") ? "ap-south-1" : "eu-west-1";
    const request = { method: "GET", path: "/", query: "", headers: { host: "h" }, sha256: noBody };
    const { authorization } = endpoint.sign(request, credentials, new Date());
    expect(authorization).toContain(`/${region}/s3/aws4_request`);
    client.destroy();
  });
});
