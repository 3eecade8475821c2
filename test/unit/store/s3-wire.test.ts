import nock from "nock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { confirmedKey, tokensKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import { createS3Store } from "../../../core/store/s3-store/s3-store.ts";

const endpoint = "http://s3.example.test";
const connection = {
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "key", secretAccessKey: "secret" },
};
const store = createS3Store({
  bucket: "bucket",
  prefix: "p/",
  forcePathStyle: true,
  timeoutMs: 2000,
  connection,
});

const headers = { etag: '"1"', "content-length": "2", "last-modified": new Date(0).toUTCString() };

/** Only the wire matters here: what the store is sent, byte for byte, whatever it would make of it. */
describe("what the S3 driver sends", () => {
  beforeEach(() => nock.disableNetConnect());
  afterEach(() => {
    nock.cleanAll();
    nock.enableNetConnect();
  });

  test("a put under If-Match is sent once, unless the store is busy: a repetition could hide that the first one worked", async () => {
    let requests = 0;
    let status = 500;
    nock(endpoint)
      .persist()
      .put(/.*/)
      .query(true)
      .reply(() => {
        requests += 1;
        return [status, status === 500 ? "<Error><Code>InternalError</Code></Error>" : "<h1>Busy</h1>"];
      });
    for (const [answer, expected] of [
      [500, 1],
      [503, 3],
    ] as const) {
      [requests, status] = [0, answer];
      const beganAt = performance.now();
      const put = store.put(tokensKey, bytesBody(Buffer.from("{}")), {
        condition: { kind: "match", etag: '"old"' },
      });
      await expect(put).rejects.toMatchObject({ code: "store_unavailable" });
      expect(requests).toBe(expected);
      // P198: a second of 503 fails nothing.
      if (answer === 503) expect(performance.now() - beganAt).toBeGreaterThanOrEqual(990);
    }
  });

  test("a put that is refused for its quotes is made without them, also where a get ignores If-None-Match", async () => {
    const quoted = nock(endpoint).put(/.*/).query(true).matchHeader("if-match", '"1"').reply(412);
    nock(endpoint).get(/.*/).query(true).reply(200, "{}", headers);
    nock(endpoint).put(/.*/).query(true).matchHeader("if-match", "1").reply(200, "", { etag: '"2"' });
    const put = store.put(tokensKey, bytesBody(Buffer.from("[]")), {
      condition: { kind: "match", etag: '"1"' },
    });
    expect(await put).toEqual({ kind: "stored", etag: '"2"' });
    expect(quoted.isDone()).toBe(true);
  });

  test("a choice of other places is no object", async () => {
    nock(endpoint).get(/.*/).query(true).reply(300, "{}", headers);
    await expect(store.get(tokensKey)).rejects.toMatchObject({ name: "Failure" });
  });

  test.each([
    ["AccessDenied", 1, "store_denied", "s3:DeleteObject on arn:aws:s3:::bucket/p/*"],
    ["InternalError", 3, "store_unavailable", "InternalError"],
  ])("objects of a batch that stay for %s are asked for %i times", async (code, times, failure, message) => {
    const asked: string[] = [];
    nock(endpoint)
      .persist()
      .post("/bucket/")
      .query(true)
      .reply((_uri, body) => {
        asked.push(String(body));
        const gone = "<Deleted><Key>p/auth/tokens.json</Key></Deleted>";
        const stayed = `<Error><Key>p/runs/confirmed.json</Key><Code>${code}</Code></Error>`;
        return [200, `<DeleteResult>${gone}${stayed}</DeleteResult>`];
      });
    await expect(store.delete([tokensKey, confirmedKey])).rejects.toMatchObject({
      code: failure,
      message: expect.stringContaining(message),
    });
    expect(asked.map((body) => body.includes("tokens.json"))).toEqual([true, false, false].slice(0, times));
  });
});
