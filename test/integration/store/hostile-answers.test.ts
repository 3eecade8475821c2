import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { asFailure } from "../../../core/ground/failure.ts";
import { bytesBody, readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { createS3Store } from "../../../core/store/s3-store/s3-store.ts";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { runCommand } from "../../support/command-line.ts";
import {
  drip,
  type HostileStore,
  pour,
  type Script,
  startHostileStore,
} from "../../support/hostile-store.ts";
import { forAllTests } from "../../support/lasting.ts";
import { key } from "../../support/object-store-probes.ts";

const timeoutMs = 400;
/** Three attempts with their deadlines and the pauses between them, and a busy machine. */
const settledMs = 60_000;
const objectHead = 'HTTP/1.1 200 OK\r\nETag: "e"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n';
const xmlHead = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n";

const calls: Readonly<Record<string, (store: ObjectStore) => Promise<unknown>>> = {
  get: async (store) => {
    const found = await store.get(key("tenants/a/current.json"));
    return found.kind === "object" ? (await readBody(found, 100_000_000, "the body")).toString() : found;
  },
  list: async (store) => {
    const keys: string[] = [];
    for await (const object of store.list("tenants/")) keys.push(object.key);
    return keys;
  },
  put: (store) => store.put(key("tenants/a/current.json"), bytesBody(Buffer.from("x"))),
  delete: (store) => store.delete([key("tenants/a/1.json"), key("tenants/a/2.json")]),
};

/** Answers that no call may take for a good one. */
const hostile: Readonly<Record<string, Script>> = {
  "not HTTP at all": (socket) => socket.end("220 mail.example ESMTP\r\n"),
  "nothing, and the connection stays": () => {},
  "a head that drips": (socket) => drip(socket, `${objectHead}Content-Length: 5\r\n\r\nhello`, 50),
  "a head without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    pour(socket, `X-Flood: ${"x".repeat(1000)}\r\n`);
  },
  "interim answers without end": (socket) => pour(socket, "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)),
  "an error without end": (socket) => {
    socket.write("HTTP/1.1 500 Oops\r\nContent-Type: application/xml\r\n\r\n<Error>");
    pour(socket, "<Code>x</Code>".repeat(5000));
  },
  "an error that drips": (socket) => drip(socket, `HTTP/1.1 403 No\r\n\r\n<Error>${"x".repeat(1000)}`, 20),
  "a page of HTML": (socket) => socket.end(whole("HTTP/1.1 502 Bad\r\n", "<html><body>Bad gateway</html>")),
  "a 404 that is not S3's": (socket) =>
    socket.end(whole("HTTP/1.1 404 Not Found\r\n", "<html>not here</html>")),
  "a 200 that is not S3's": (socket) => socket.end(whole("HTTP/1.1 200 OK\r\n", "<html>welcome</html>")),
  "an error of 50 entities, each ten of the one before": (socket) =>
    socket.end(whole("HTTP/1.1 400 Bad\r\nContent-Type: application/xml\r\n", billionLaughs("Error"))),
  "a redirect to another host": (socket) =>
    socket.end(whole(`HTTP/1.1 307 There\r\nLocation: ${elsewhere.endpoint}/secret\r\n`, "")),
  "a permanent redirect of S3": (socket) =>
    socket.end(
      whole(
        `HTTP/1.1 301 There\r\nLocation: ${elsewhere.endpoint}/secret\r\nx-amz-bucket-region: xx-1\r\n`,
        `<Error><Code>PermanentRedirect</Code><Endpoint>${"127.0.0.1"}</Endpoint></Error>`,
      ),
    ),
};

/** Answers that are wrong for one kind of call. */
const hostileTo: readonly (readonly [call: string, what: string, script: Script])[] = [
  [
    "get",
    "a body that drips",
    (socket) => drip(socket, `${objectHead}Content-Length: 9999999\r\n\r\n${"x".repeat(9999)}`, 2),
  ],
  [
    "get",
    "a body without a length and without end",
    (socket) => {
      socket.write(`${objectHead}\r\n`);
      pour(socket, Buffer.alloc(65_536, "x"));
    },
  ],
  [
    "get",
    "two lengths",
    (socket) => socket.end(`${objectHead}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`),
  ],
  ["get", "a negative length", (socket) => socket.end(`${objectHead}Content-Length: -5\r\n\r\nhello`)],
  [
    "get",
    "a date that is none",
    (socket) => socket.end(whole('HTTP/1.1 200 OK\r\nETag: "e"\r\nLast-Modified: yesterday\r\n', "hello")),
  ],
  [
    "list",
    "a page without end",
    (socket) => {
      socket.write(`${xmlHead}\r\n<ListBucketResult><IsTruncated>false</IsTruncated>`);
      pour(socket, "<Contents><Key>tenants/a</Key></Contents>".repeat(1000));
    },
  ],
  [
    "list",
    "a page that drips",
    (socket) => drip(socket, `${xmlHead}\r\n<ListBucketResult>${" ".repeat(9999)}`, 5),
  ],
  ["list", "keys of others", (socket) => socket.end(whole(xmlHead, page("auth/tokens.json")))],
  ["list", "the same page again and again", (socket) => socket.end(whole(xmlHead, page("tenants/a", true)))],
  ["list", "an object in place of a page", (socket) => socket.end(whole(xmlHead, '{"a": 1}'))],
  ["list", "entities in a page", (socket) => socket.end(whole(xmlHead, billionLaughs("ListBucketResult")))],
  ["put", "a 200 without an ETag", (socket) => socket.end(whole("HTTP/1.1 200 OK\r\n", ""))],
  [
    "delete",
    "a 200 that deleted nothing",
    (socket) => socket.end(whole(xmlHead, "<DeleteResult></DeleteResult>")),
  ],
];

const store = forAllTests(startHostileStore);
const elsewhere = forAllTests(startHostileStore);
withAwsEnvironment(() => environment(store));

describe("a store that answers with", () => {
  const everywhere = Object.entries(hostile).flatMap(([what, script]) =>
    Object.keys(calls).map((call) => [call, what, script] as const),
  );
  test.each([...hostileTo, ...everywhere])("%s: %s", { timeout: settledMs }, async (call, _, script) => {
    const before = process.memoryUsage.rss();
    store.play(script);
    const failure = await failureOf(call);
    expect(failure.code).toMatch(/^(store_|settings|corrupt_document)/);
    expect(failure.message).toMatch(/^(GetObject|ListObjectsV2|PutObject|DeleteObjects?) s3:\/\/programs\//);
    expect(failure.message.length).toBeLessThan(2000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
    expect(elsewhere.requests).toEqual([]);
  });

  test("packed bytes gives these bytes, never what they unpack to", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    store.play((socket) => {
      socket.write(`${objectHead}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    const driver = openDriver();
    const found = await driver.get(key("tenants/a/current.json"));
    if (found.kind !== "object") throw new Error(found.kind);
    expect((await readBody(found, bomb.length, "the body")).equals(bomb)).toBe(true);
    await driver.close();
  });
});

describe("an answer that is", () => {
  const good: Readonly<Record<string, string>> = {
    get: whole(objectHead, "hello"),
    list: whole(xmlHead, page("tenants/a")),
    put: whole('HTTP/1.1 200 OK\r\nETag: "e"\r\n', ""),
    delete: whole(
      xmlHead,
      "<DeleteResult><Deleted><Key>tenants/a/1.json</Key></Deleted><Deleted><Key>tenants/a/2.json</Key></Deleted></DeleteResult>",
    ),
  };

  test.each(Object.keys(calls))(
    "cut after each of its bytes is a failure, or the whole: %s",
    async (call) => {
      const text = good[call] ?? "";
      const expected = await outcomeOf(call, text);
      expect(expected).not.toContain("store_");
      const cuts = Array.from({ length: text.length }, (_, at) => text.slice(0, at));
      const outcomes = await Promise.all(cuts.map((cut) => outcomeOf(call, cut)));
      expect(outcomes.filter((outcome) => outcome !== expected && outcome !== "store_unavailable")).toEqual(
        [],
      );
      expect(outcomes.filter((outcome) => outcome === "store_unavailable").length).toBeGreaterThan(30);
    },
  );
});

test.each(["a page of HTML", "an error without end", "a head that drips", "interim answers without end"])(
  "the CLI names what happened and ends: %s",
  { timeout: 2 * settledMs },
  async (what) => {
    store.play(hostile[what] ?? (() => {}));
    const env = { ...environment(store), STORE_URL: "s3://programs/", STORE_TIMEOUT_MS: String(timeoutMs) };
    const { status, stderr } = await runCommand(["snapshot", "list", "--tenant", "acme"], { env });
    expect(status).toBe(1);
    expect(stderr).toContain("s3://programs/");
    expect(stderr).not.toContain("    at ");
  },
);

async function failureOf(call: string) {
  const driver = openDriver();
  try {
    const result = await calls[call]?.(driver);
    throw new Error(`taken for a good answer: ${JSON.stringify(result)}`);
  } catch (error) {
    return asFailure(error);
  } finally {
    await driver.close();
  }
}

/** What a call makes of an answer, on a store of its own. */
async function outcomeOf(call: string, text: string): Promise<string> {
  const own = await startHostileStore();
  own.play((socket) => socket.end(Buffer.from(text, "latin1")));
  // The connection ends by itself, so the deadline is for a busy machine only.
  const driver = openDriver(own, 20_000);
  try {
    return JSON.stringify(await calls[call]?.(driver)) ?? "done";
  } catch (error) {
    return asFailure(error).code;
  } finally {
    await driver.close();
    await own.close();
  }
}

function openDriver(at: HostileStore = store, deadlineMs = timeoutMs): ObjectStore {
  const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
  const connection = { endpoint: at.endpoint, region: "eu-test-1", credentials };
  return createS3Store({
    bucket: "programs",
    prefix: "",
    forcePathStyle: true,
    timeoutMs: deadlineMs,
    connection,
  });
}

function environment(at: HostileStore): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_S3: at.endpoint,
    AWS_REGION: "eu-test-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
}

function whole(head: string, body: string): string {
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function page(name: string, truncated = false): string {
  return (
    `<ListBucketResult><IsTruncated>${truncated}</IsTruncated><Contents><Key>${name}</Key>` +
    "<LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents></ListBucketResult>"
  );
}

function billionLaughs(root: string): string {
  const entities = Array.from({ length: 50 }, (_, at) =>
    at === 0 ? '<!ENTITY e0 "laugh">' : `<!ENTITY e${at} "${`&e${at - 1};`.repeat(10)}">`,
  );
  return `<?xml version="1.0"?><!DOCTYPE x [${entities.join("")}]><${root}><Code>&e49;</Code></${root}>`;
}
