import { afterEach, expect, test } from "vitest";
import { eventually } from "../../support/gateway-client.ts";
import { type FaultyStore, faultyStore, unavailable } from "../../support/gateway-faulty-store.ts";
import {
  type FixtureOptions,
  filledWith,
  type GatewayFixture,
  startGateway,
} from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { converse } from "../../support/raw-http.ts";
import { setClocks } from "../../support/set-clocks.ts";

const acme = issueToken("acme");
let gateway: GatewayFixture;

afterEach(() => gateway.close());

async function start(options: FixtureOptions = {}): Promise<void> {
  gateway = await startGateway({ fill: filledWith([acme]), ...options });
}

const metric = (series: string): Promise<number> => gateway.metric(series);

test("the API is not on the admin listener, whose paths are read only, and found with a slash behind them, too", async () => {
  await start();
  const response = await fetch(`${gateway.admin}/v1/programs`, {
    headers: { Authorization: `Bearer ${acme.plaintext}` },
  });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ paths: ["/healthz", "/readyz", "/metrics"] });
  expect((await fetch(`${gateway.admin}/metrics`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${gateway.admin}/readyz/?from=probe`)).status).toBe(200);
  const head = await fetch(`${gateway.admin}/healthz`, { method: "HEAD" });
  expect([head.status, head.headers.get("cache-control"), await head.text()]).toEqual([200, "no-store", ""]);
});

test("/metrics counts requests by resource and status, times them, and tells ages, cache, store and limiter", async () => {
  const clocks = setClocks();
  await start({ clocks });
  const { client } = gateway;
  for (const path of ["/v1/programs", "/v1/programs/p1", "/v1/programs/p1", "/v1/programs/none", "/unknown"])
    await client.get(path, acme.plaintext);
  await client.get("/v1/programs");
  expect(await metric('gateway_requests_total{route="list",status="200"}')).toBe(1);
  expect(await metric('gateway_requests_total{route="detail",status="200"}')).toBe(2);
  expect(await metric('gateway_requests_total{route="detail",status="404"}')).toBe(1);
  expect(await metric('gateway_requests_total{route="unknown",status="404"}')).toBe(1);
  expect(await metric('gateway_requests_total{route="list",status="401"}')).toBe(1);
  expect(await metric('gateway_request_duration_seconds_count{route="detail"}')).toBe(3);
  const { tokenId } = acme.entry;
  expect(await metric(`gateway_token_requests_total{token="${tokenId}",status="2xx"}`)).toBe(3);
  expect(await metric(`gateway_token_requests_total{token="${tokenId}",status="4xx"}`)).toBe(2);
  clocks.advance(3000);
  expect(await metric('gateway_snapshot_age_seconds{tenant="acme"}')).toBe(3);
  await expect.poll(() => metric("gateway_token_registry_age_seconds")).toBe(0);
  expect(await metric('gateway_body_cache_lookups_total{result="hit"}')).toBe(1);
  expect(await metric('gateway_body_cache_lookups_total{result="miss"}')).toBe(2);
  expect(await metric("gateway_body_cache_bytes")).toBeGreaterThan(100);
  expect(await metric('gateway_store_calls_total{operation="get",outcome="object"}')).toBeGreaterThan(3);
  expect(await gateway.metrics()).toContain("# TYPE gateway_body_cache_lookups_total counter\n");
  expect(await metric("gateway_limiter_shared")).toBe(0);
  expect(await metric("process_resident_memory_bytes")).toBeGreaterThan(1e6);
});

test("a token that is not in the registry never makes a series", async () => {
  await start();
  const { client } = gateway;
  for (let at = 0; at < 5; at += 1) {
    expect((await client.get("/v1/programs", issueToken("acme").plaintext)).status).toBe(401);
  }
  expect((await client.get("/v1/programs", acme.plaintext)).status).toBe(200);
  const text = await gateway.metrics();
  expect(text.match(/^gateway_token_requests_total\{.*/gm)).toEqual([
    `gateway_token_requests_total{token="${acme.entry.tokenId}",status="2xx"} 1`,
  ]);
});

test("W92 what alerts watch is there before anything happened; W92 so is what tells a lost Redis from none", async () => {
  await start();
  for (const route of ["list", "detail", "legacy", "unknown"]) {
    expect(await metric(`gateway_requests_total{route="${route}",status="500"}`)).toBe(0);
  }
  expect(await metric("gateway_log_lines_lost_total")).toBe(0);
  const limiter = async () => [
    await metric("gateway_limiter_shared_wanted"),
    await metric("gateway_limiter_shared"),
  ];
  expect(await limiter()).toEqual([0, 0]);
  await gateway.close();
  await start({ env: { REDIS_URL: "redis://127.0.0.1:1" } });
  expect(await limiter()).toEqual([1, 0]);
});

test("W92 /metrics says whether the gateway is ready, as /readyz does", async () => {
  let seen: FaultyStore | undefined;
  const clocks = setClocks();
  await start({
    clocks,
    env: { TOKEN_MAX_STALE_SECONDS: "1" },
    seen(store) {
      seen = faultyStore(store);
      return seen;
    },
  });
  const state = async () => [(await fetch(`${gateway.admin}/readyz`)).status, await metric("gateway_ready")];
  expect(await state()).toEqual([200, 1]);
  seen?.breakKeys(/./, unavailable);
  clocks.advance(1001);
  expect(await state()).toEqual([503, 0]);
  // The reason is that of a poll that failed.
  await eventually(
    async () => (await fetch(`${gateway.admin}/readyz`)).json(),
    (body) => /registry is not confirmed: .*The store was broken by the test\./.test(Object(body).reason),
  );
  seen?.mend();
  await eventually(state, ([status]) => status === 200);
  expect(await state()).toEqual([200, 1]);
});

test("W92 a call of the store is timed to its outcome, a failed one, too", async () => {
  const clocks = setClocks();
  await start({
    clocks,
    seen(store) {
      const seen = faultyStore(store);
      seen.breakKeys(/current/, (...call) => {
        clocks.advance(3000);
        return unavailable(...call);
      });
      return seen;
    },
    seenTokens: (store) => store,
  });
  /** Of one text: between two, the registry is polled. */
  const slow = async () => {
    const text = await gateway.metrics();
    const within = (le: string) => {
      const name = `gateway_store_call_duration_seconds_bucket{operation="get",le="${le}"} `;
      const line = text.split("\n").find((candidate) => candidate.startsWith(name));
      return Number(line?.slice(name.length) ?? Number.NaN);
    };
    return within("+Inf") - within("2.5");
  };
  expect(await slow()).toBe(0);
  const { client } = gateway;
  expect((await client.get("/v1/programs", acme.plaintext)).status).toBe(500);
  expect(await slow()).toBeGreaterThanOrEqual(1);
  expect(await metric('gateway_store_calls_total{operation="get",outcome="store_unavailable"}')).toBe(1);
});

test("tenants' gauges are bounded in number", async () => {
  const tokens = Array.from({ length: 120 }, (_, at) => issueToken(`tenant-${at}`));
  await start({
    async fill(store, file) {
      await file.write(tokens);
      await Promise.all(
        tokens.map(({ entry }) => publishSnapshot(store, entry.tenantId, { programIds: [] })),
      );
    },
  });
  const { client } = gateway;
  for (const { plaintext } of tokens) expect((await client.get("/v1/programs", plaintext)).status).toBe(200);
  const text = await gateway.metrics();
  expect(text.match(/^gateway_snapshot_age_seconds\{/gm)).toHaveLength(100);
  expect(await metric("gateway_snapshots_held")).toBe(120);
});

test("a browser that a foreign name led here is turned away; addresses, localhost and configured names are answered", async () => {
  await start({ env: { ADMIN_HOST_NAMES: "gateway, metrics.internal" } });
  const statusFor = async (path: string, host: string): Promise<number | undefined> => {
    const send = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const { responses } = await converse(gateway.admin, { send });
    expect(String(responses[0]?.body)).not.toContain("rebound");
    return responses[0]?.status;
  };
  for (const path of ["/healthz", "/readyz", "/metrics", "/unknown"]) {
    expect(await statusFor(path, "rebound.example:9090")).toBe(421);
  }
  for (const host of [
    "127.0.0.1",
    "10.1.2.3:9090",
    "[::1]:9090",
    "localhost:1",
    "GATEWAY",
    "metrics.internal:9090",
  ])
    expect(await statusFor("/metrics", host)).toBe(200);
});
