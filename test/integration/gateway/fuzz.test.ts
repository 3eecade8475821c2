import fc from "fast-check";
import { expect, test } from "vitest";
import { startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { expectWellFormed } from "../../support/gateway-wire.ts";
import { forAllTests } from "../../support/lasting.ts";
import { converse, type RawResponse } from "../../support/raw-http.ts";

/** Bounded and seeded, so that every run is the same run; a longer one: `FUZZ_RUNS=20000`. */
const runs = { seed: 20_260_101, numRuns: Number(process.env.FUZZ_RUNS ?? 1000) };

const acme = issueToken("acme", { rateLimit: 1_000_000_000 });
const globex = issueToken("globex", { rateLimit: 1_000_000_000 });
const gateway = forAllTests(() =>
  startGateway({
    async fill(store, tokens) {
      await tokens.write([acme, globex]);
      await publishSnapshot(store, "acme", { programIds: ["p1", "shared"], mark: "acme-canary" });
      await publishSnapshot(store, "globex", { programIds: ["g1", "shared"], mark: "globex-canary" });
    },
  }),
);

/** Sends the bytes, closes our side, and holds every answer to the envelope. Returns the answers. */
async function answersTo(bytes: Buffer): Promise<readonly RawResponse[]> {
  const { responses, rest } = await converse(gateway.api, { send: bytes, halfClose: true });
  expect(rest.toString("latin1")).toBe("");
  for (const response of responses) expectWellFormed(response, false);
  return responses;
}

/** Nothing that a request did keeps the next one from its answer. */
async function stillServes(): Promise<void> {
  const [answer] = await answersTo(
    Buffer.from(`GET /v1/programs/p1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.plaintext}\r\n\r\n`),
  );
  expect(answer?.status).toBe(200);
}

const anyByte = fc.integer({ min: 0, max: 255 });
const latin1 = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(anyByte, { maxLength }).map((bytes) => Buffer.from(bytes).toString("latin1"));
/** No HEAD: its answers have no body, which the reader of raw answers would have to know. */
const method = fc.oneof(
  fc.constantFrom("GET", "POST", "OPTIONS", "TRACE", "PUT", "CONNECT", "get", "BREW", ""),
  latin1(8).filter((text) => !text.toUpperCase().startsWith("HEAD")),
);
/** One of the words of a text. */
const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(" "));
const pathPart = oneOf(
  "/v1/programs /v1 /programs /api/v1/partner/programs / // /. /.. %2e%2e %2f % %zz %00 %c0%ae ; ? # p1 g1 " +
    "shared __proto__ constructor http://a * \\",
);
const target = fc.oneof(
  fc.array(pathPart, { maxLength: 6 }).map((parts) => parts.join("")),
  latin1(40),
);
const version = fc.oneof(
  fc.constantFrom("HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "http/1.1", ""),
  latin1(10),
);
const badCredentials = fc.oneof(
  fc.constantFrom("Bearer", "Basic eA==", `Bearer ppr_${"A".repeat(49)}`, "bearer  ", "Bearer \u00e9"),
  latin1(80),
);
const headerName = fc.oneof(
  oneOf(
    "Host Authorization X-Request-Id Content-Length Transfer-Encoding Expect Connection Upgrade Accept-Encoding " +
      "Cookie companyId Range If-None-Match TE Trailer Keep-Alive",
  ),
  latin1(12),
);
const headerValue = fc.oneof(
  badCredentials,
  oneOf("0 5 -1 chunked gzip,chunked 100-continue close keep-alive websocket *"),
  latin1(60),
);
const header = fc.tuple(headerName, headerValue).map(([name, value]) => `${name}: ${value}\r\n`);
const noise = fc.record({
  method,
  target,
  version,
  headers: fc.array(header, { maxLength: 8 }),
  tail: latin1(40),
});

function message(parts: typeof noise extends fc.Arbitrary<infer Parts> ? Parts : never): Buffer {
  const head = `${parts.method} ${parts.target} ${parts.version}\r\n${parts.headers.join("")}`;
  return Buffer.from(`${head}\r\n${parts.tail}`, "latin1");
}

test("W15 raw bytes: always the envelope or a close, never a 200, and the gateway lives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
      for (const { status } of await answersTo(Buffer.from(bytes))) expect(status).toBe(400);
    }),
    runs,
  );
  await stillServes();
});

test("requests made of parts, without a good token: always the envelope or a close, never a 200", async () => {
  await fc.assert(
    fc.asyncProperty(noise, async (parts) => {
      for (const { status } of await answersTo(message(parts)))
        expect([400, 401, 404, 405]).toContain(status);
    }),
    runs,
  );
  await stillServes();
});

test("W4 requests made of parts, with a tenant's token: never a byte of another tenant's", async () => {
  await fc.assert(
    fc.asyncProperty(noise, fc.nat(8), async (parts, at) => {
      const headers = [...parts.headers];
      headers.splice(at, 0, `Authorization: Bearer ${acme.plaintext}\r\n`, "Host: a\r\n");
      for (const answer of await answersTo(message({ ...parts, headers }))) {
        expect([200, 400, 401, 404, 405]).toContain(answer.status);
        expect(answer.body.includes("globex-canary")).toBe(false);
      }
    }),
    runs,
  );
  await stillServes();
});

test("W22 any target with a tenant's token: its own resources, 400 or 404", async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(target, async (raw) => {
      const headers = [`Authorization: Bearer ${acme.plaintext}\r\n`, "Host: a\r\n"];
      const bytes = message({ method: "GET", target: raw, version: "HTTP/1.1", headers, tail: "" });
      for (const answer of await answersTo(bytes)) {
        expect([200, 400, 404]).toContain(answer.status);
        statuses.add(answer.status);
        if (answer.status === 200) expect(answer.body.includes("acme-canary")).toBe(true);
      }
    }),
    runs,
  );
  // Else the parts would be too far from anything that exists.
  expect([...statuses].toSorted()).toEqual([200, 400, 404]);
  await stillServes();
});

test("good requests cut into pieces anywhere get the answers that they get in one piece", async () => {
  const good = [
    `GET /v1/programs/p1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: 1\r\nAuthorization: Bearer ${acme.plaintext}\r\n\r\n`,
    "GET /unknown HTTP/1.1\r\nHost: a\r\nX-Request-Id: 2\r\n\r\n",
    `GET /v1/programs/shared HTTP/1.1\r\nHost: a\r\nX-Request-Id: 3\r\nAuthorization: Bearer ${globex.plaintext}\r\n\r\n`,
  ].join("");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(good.length), { maxLength: 6 }), async (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), good.length];
      const pieces = edges.slice(1).map((edge, at) => good.slice(edges[at], edge));
      const { responses } = await converse(gateway.api, { send: pieces, responses: 3 });
      expect(responses.map(({ status }) => status)).toEqual([200, 404, 200]);
      expect(responses.map((answer) => answer.header("x-request-id"))).toEqual(["1", "2", "3"]);
      expect(responses[2]?.body.includes("globex-canary")).toBe(true);
    }),
    { ...runs, numRuns: Math.ceil(runs.numRuns / 4) },
  );
});
