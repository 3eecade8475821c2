import { afterEach, expect, test } from "vitest";
import { eventually } from "../../support/gateway-client.ts";
import { faultyStore, unavailable } from "../../support/gateway-faulty-store.ts";
import { type GatewayFixture, type LogLine, startGateway } from "../../support/gateway-fixture.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";
import { inlineCode, page, tableAfter } from "../../support/markdown.ts";
import { converse } from "../../support/raw-http.ts";

const acme = issueToken("acme", { rateLimit: 1000 });
const gone = revoked(issueToken("acme"));
const scopeless = issueToken("acme", { scopes: ["other"] });
const unknown = issueToken("acme");
const spent = issueToken("acme", { rateLimit: 1 });
const foreign = issueToken("unpublished");
const foreignCause = "tenants/unpublished/current.json is missing: the tenant has no published snapshot.";
const canary = "canary-7f3a";
let gateway: GatewayFixture;
let snapshot: PublishedSnapshot;

afterEach(() => gateway.close());

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await startGateway({
    env,
    async fill(store, tokens) {
      await tokens.write([acme, gone, scopeless, spent, foreign]);
      snapshot = await publishSnapshot(store, "acme", { programIds: ["p1", "p2"] });
    },
    seen(store) {
      const seen = faultyStore(store);
      seen.breakKeys(/p2\.json$/, unavailable);
      return seen;
    },
  });
}

const lineOf = (requestId: string): Promise<LogLine | undefined> =>
  eventually(
    () => gateway.log.find((line) => line.requestId === requestId),
    (line) => line !== undefined,
  );

test("W80 a 200 is logged with everything that support asks for", async () => {
  await start();
  const { client } = gateway;
  const answer = await client.get("/v1/programs/p1", acme.plaintext, { "X-Request-Id": "order-7" });
  expect(await lineOf("order-7")).toStrictEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    program: "test",
    requestId: "order-7",
    tokenId: acme.entry.tokenId,
    tenantId: "acme",
    limit: 1000,
    windowSeconds: 60,
    route: "detail",
    programId: "p1",
    method: "GET",
    status: 200,
    durationMs: expect.any(Number),
    bytes: answer.body.length,
    snapshotId: snapshot.snapshotId,
    objectKey: `tenants/acme/snapshots/${snapshot.snapshotId}/v1/programs/p1.json`,
    connection: expect.stringMatching(/^[0-9a-f]{8}-1$/),
    nth: 1,
    acceptsGzip: false,
    encoding: "identity",
    msg: "request",
  });
});

test("W16 every answer but a 200 is logged with its true cause, under its request id", async () => {
  await start();
  const { client } = gateway;
  const cases = [
    ["/v1/unknown", acme.plaintext, 404, "unknown_path", "unknown path"],
    ["/v1/programs", undefined, 401, "no_token", "no token"],
    ["/v1/programs", "nonsense", 401, "malformed_token", "malformed token"],
    ["/v1/programs", unknown.plaintext, 401, "unknown_token", "unknown token"],
    ["/v1/programs", gone.plaintext, 401, "revoked_token", "revoked token"],
    ["/v1/programs", scopeless.plaintext, 403, "missing_scope", "scope missing"],
    ["/v1/programs/%zz", acme.plaintext, 400, "malformed_id", "ill-formed program id"],
    ["/v1/programs/none", acme.plaintext, 404, "unknown_program", "no such program in the live snapshot"],
    ["/v1/programs/p2", acme.plaintext, 500, "store_unavailable", "The store was broken by the test."],
    ["/v1/programs", foreign.plaintext, 500, "not_found", foreignCause],
    ["/v1/programs", spent.plaintext, 429, "quota_exceeded", "quota exceeded"],
  ] as const;
  expect((await client.get("/v1/programs", spent.plaintext)).status).toBe(200);
  for (const [path, token, status, causeCode, cause] of cases) {
    const requestId = `case-${cases.findIndex((row) => row[4] === cause)}`;
    const answer = await client.get(path, token, { "X-Request-Id": requestId });
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).not.toContain(cause);
    expect(await lineOf(requestId)).toMatchObject({ status, causeCode, cause });
  }
  await converse(gateway.api, { send: "BREW / HTTP/1.1\r\nX-Request-Id: refused\r\n\r\n" });
  expect(await lineOf("refused")).toMatchObject({
    route: "unknown",
    status: 400,
    causeCode: "malformed_request",
    cause: "HPE_INVALID_METHOD",
  });
  await converse(gateway.api, {
    send: "BREW /v1/programs HTTP/1.1\r\nHost: a\r\nX-Request-Id: brewed\r\n\r\n",
  });
  expect(await lineOf("brewed")).toMatchObject({ route: "list", status: 405, causeCode: "wrong_method" });
});

test("W80 a refusal for the path or the method names the token, too", async () => {
  await start();
  for (const [requestId, method, path] of [
    ["no-path", "GET", "/v1/unknown"],
    ["no-method", "POST", "/v1/programs"],
  ] as const) {
    const send = `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${requestId}\r\nAuthorization: Bearer ${acme.plaintext}\r\n\r\n`;
    await converse(gateway.api, { send, responses: 1 });
    expect(await lineOf(requestId)).toMatchObject({ tokenId: acme.entry.tokenId });
  }
});

test("T4 no token and no header ever reaches a log, wherever the client puts it", async () => {
  await start();
  const { plaintext } = acme;
  // No token, but the secret of one.
  const shouted = plaintext.replace("ppr", "PpR");
  const head = `Host: ${canary}\r\nUser-Agent: ${canary}\r\nCookie: a=${canary}; t=${plaintext}\r\nX-Api-Key: ${plaintext}\r\n`;
  const requests = [
    `GET /v1/programs HTTP/1.1\r\n${head}Authorization: Bearer ${plaintext}\r\n\r\n`,
    `GET /v1/programs HTTP/1.1\r\n${head}Authorization: Bearer ${unknown.plaintext}\r\n\r\n`,
    `GET /v1/programs HTTP/1.1\r\n${head}Authorization: Bearer ${gone.plaintext}\r\n\r\n`,
    `GET /v1/programs HTTP/1.1\r\n${head}Authorization: Basic ${plaintext}\r\n\r\n`,
    `GET /v1/programs?access_token=${plaintext}&${canary} HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/programs/${plaintext} HTTP/1.1\r\n${head}Authorization: Bearer ${plaintext}\r\n\r\n`,
    `GET /v1/programs/${canary}%zz HTTP/1.1\r\n${head}Authorization: Bearer ${plaintext}\r\n\r\n`,
    `GET /${canary}/${plaintext} HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/programs HTTP/1.1\r\n${head}X-Request-Id: ${plaintext}\r\nAuthorization: Bearer ${plaintext}\r\n\r\n`,
    `GET /v1/programs/p2 HTTP/1.1\r\n${head}X-Request-Id: id.${plaintext}\r\nAuthorization: Bearer ${plaintext}\r\n\r\n`,
    `GET /v1/programs/${shouted} HTTP/1.1\r\n${head}X-Request-Id: ${shouted}\r\nAuthorization: Bearer ${plaintext}\r\n\r\n`,
    `BREW /${shouted} HTTP/1.1\r\n${head}X-Request-Id: ${shouted}\r\n\r\n`,
    `POST /v1/programs HTTP/1.1\r\n${head}Content-Length: 60\r\n\r\n${plaintext.padEnd(60)}`,
    `BREW /${plaintext} HTTP/1.1\r\n${head}X-Request-Id: ${plaintext}\r\n\r\n`,
    `GET /${plaintext}#${canary} HTTP/1.1\r\n${head}\r\n`,
    `GET / HTTP/1.1\r\n${head}Broken ${canary}\r\nAuthorization: Bearer ${plaintext}\r\n\r\n`,
    `CONNECT ${canary}:443 HTTP/1.1\r\n${head}X-Request-Id: ${plaintext}\r\n\r\n`,
    `GET / HTTP/1.1\r\n${head}X-Padding: ${plaintext.repeat(400)}\r\n\r\n`,
  ];
  for (const bytes of requests) {
    const { responses } = await converse(gateway.api, { send: bytes, responses: 1 });
    expect(responses).toHaveLength(1);
  }
  await expect.poll(() => gateway.log.filter(({ msg }) => msg === "request").length).toBe(requests.length);
  const text = gateway.logText();
  for (const token of [acme, gone, unknown]) {
    // Neither whole nor in part.
    expect(text).not.toContain(token.plaintext.slice(4, 40));
  }
  expect(text).not.toContain(canary);
  expect(text).toContain("[token]");
});

test("the page for programs lists every field of a request's log line", async () => {
  await start({ TRUSTED_PROXIES: "127.0.0.1" });
  for (const path of ["/v1/programs/p1", "/v1/programs/none", "/v1/programs"])
    await gateway.client.get(path, acme.plaintext, { "X-Forwarded-For": "203.0.113.7" });
  const logged = new Set(gateway.log.filter(({ msg }) => msg === "request").flatMap(Object.keys));
  const listed = tableAfter(page("docs/json.md").text, "<!-- log fields -->").flatMap(([fields = ""]) =>
    inlineCode(fields),
  );
  // `isCut` is there only when a client left, `retryAfter` only on a 429, the others only while the store is
  // away.
  const occasional = ["isCut", "retryAfter", "unconfirmedSince", "unconfirmedCode"];
  expect([...logged, ...occasional].toSorted()).toEqual(listed.toSorted());
});
