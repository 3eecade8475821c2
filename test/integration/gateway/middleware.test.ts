import type { RequestHandler } from "express";
import { afterEach, expect, test } from "vitest";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse, type RawResponse } from "../../support/raw-http.ts";

const acme = issueToken("acme");
let gateway: GatewayFixture;
let list: Buffer;

afterEach(() => gateway.close());

async function start(...middleware: readonly RequestHandler[]): Promise<void> {
  gateway = await startGateway({
    middleware,
    async fill(store, tokens) {
      await tokens.write([acme]);
      list = (await publishSnapshot(store, "acme", { programIds: ["p1"] })).list;
    },
  });
}

/** The answers to requests that are sent at once over one connection. */
async function answers(...targets: readonly string[]): Promise<readonly RawResponse[]> {
  const send = targets.map((target) => {
    const [method, path] = target.split(" ");
    return `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.plaintext}\r\n\r\n`;
  });
  const { responses, rest } = await converse(gateway.api, { send: send.join(""), halfClose: true });
  expect(rest).toEqual(Buffer.alloc(0));
  return responses;
}

const pass: RequestHandler = (_req, _res, next) => next();
const codeOf = ({ body }: RawResponse): unknown => JSON.parse(body.toString("utf8")).error.code;

test("a middleware runs before the API and can answer, with all that Express gives it", async () => {
  await start((req, res, next) => {
    res.locals.seen = req.query.name;
    if (req.path === "/hello") res.status(203).json({ hello: res.locals.seen });
    else next();
  });
  const [hello, list200, unknown] = await answers("GET /hello?name=you", "GET /v1/programs", "GET /other");
  expect(hello).toMatchObject({ status: 203 });
  expect(hello?.body.toString("utf8")).toBe('{"hello":"you"}');
  expect(list200?.status).toBe(200);
  expect(list200?.body.equals(list)).toBe(true);
  expect(unknown?.status).toBe(404);
  expect(gateway.log.filter(({ msg }) => msg === "request")).toHaveLength(2);
});

test("the headers that a middleware sets stand beside the API's", async () => {
  await start((_req, res, next) => {
    res.setHeader("X-Proxy", "yes");
    next();
  });
  const [ok, refused] = await answers("GET /v1/programs", "GET /other");
  for (const answer of [ok, refused]) {
    expect(answer?.header("x-proxy")).toBe("yes");
    expect(answer?.header("x-request-id")).toBeDefined();
    expect(answer?.header("x-powered-by")).toBeUndefined();
  }
  expect(ok?.body.equals(list)).toBe(true);
});

test("a middleware may take its time; pipelined answers stay in order", async () => {
  await start((req, _res, next) => {
    setTimeout(next, req.url.endsWith("programs") ? 50 : 0);
  });
  const responses = await answers("GET /v1/programs", "GET /other", "GET /v1/programs/p1");
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 200]);
});

for (const [name, middleware] of [
  [
    "throws",
    () => {
      throw new Error("secret");
    },
  ],
  ["rejects", () => Promise.reject(new Error("secret"))],
  ["hands on an error", (_req, _res, next) => next(new Error("secret"))],
] as const satisfies readonly (readonly [string, RequestHandler])[]) {
  test(`when a middleware ${name}, the client gets 500 in the API's envelope, and the log the reason`, async () => {
    await start(pass, middleware);
    const [answer] = await answers("GET /v1/programs");
    expect(answer?.status).toBe(500);
    expect(answer && codeOf(answer)).toBe("internal_error");
    expect(answer?.body.toString("utf8")).not.toContain("secret");
    expect(gateway.log.findLast(({ status }) => status === 500)?.cause).toContain("secret");
  });
}

test("a middleware that answers and hands the request on as well is answered once", async () => {
  await start((req, res, next) => {
    if (req.path === "/hello") res.send("hello");
    next();
  });
  const responses = await answers("GET /hello", "GET /v1/programs");
  expect(responses.map(({ body }) => body.length)).toEqual([5, list.length]);
});

test("a middleware sees every request, whatever its target; Express answers nothing itself", async () => {
  const seen: string[] = [];
  await start((req, _res, next) => {
    seen.push(req.path);
    next();
  });
  const targets = [
    "OPTIONS *",
    "OPTIONS /v1/programs",
    "GET http://[::1/v1/programs",
    "GET /v1/programs/%zz",
    "GET http://any.example/v1/programs",
    "TRACE /v1/programs",
    "GET http://any.example/v1/programs#x",
  ];
  const statuses: (number | undefined)[] = [];
  for (const target of targets) statuses.push((await answers(target))[0]?.status);
  expect(statuses).toEqual([404, 405, 200, 400, 200, 405, 400]);
  expect(seen).toEqual([
    "/",
    ...Array(2).fill("/v1/programs"),
    "/v1/programs/%zz",
    ...Array(2).fill("/v1/programs"),
    "/",
  ]);
});
