import { stat } from "node:fs/promises";
import { beforeEach, expect, test } from "vitest";
import { eventually } from "../../support/gateway-client.ts";
import type { GatewayProcess } from "../../support/gateway-process.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken, revoked } from "../../support/gateway-tokens.ts";
import { ask, filesBelow, openLastGoodStage, waitForCopy } from "../../support/last-good-stage.ts";
import { forEachTest } from "../../support/lasting.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const gone = issueToken("acme", { rateLimit: 1_000_000 });
const paths = ["/v1/programs", "/api/v1/partner/programs", "/v1/programs/p1"];
const stage = forEachTest(openLastGoodStage);

beforeEach(async () => {
  await stage.tokens.write([acme, gone]);
  await publishSnapshot(stage.store, "acme", { programIds: ["p1", "p2"], generation: 5, mark: "five" });
});

async function list(gateway: GatewayProcess, token = acme): Promise<{ status: number; body: string }> {
  const { status, body } = await ask(gateway.api, "/v1/programs", token.plaintext);
  return { status, body: body.toString() };
}

async function admin(gateway: GatewayProcess, path: string): Promise<string> {
  return await (await fetch(`${gateway.admin}${path}`)).text();
}

async function end(gateway: GatewayProcess, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
  gateway.signal(signal);
  await gateway.ended;
}

const written = (generation: number, revision: number, files: number): Promise<void> =>
  waitForCopy(stage.directory, { generation, revision, files });

test("W76: started while the store is away it serves what it served, says so, and takes the newest when it is back", async () => {
  const first = await stage.start();
  const before = await Promise.all(paths.map((path) => ask(first.api, path, acme.plaintext)));
  expect(before.map(({ status }) => status)).toEqual([200, 200, 200]);
  await written(5, 1, 5);
  await end(first);
  await stage.hop.refuse();

  const second = await stage.start();
  const after = await Promise.all(paths.map((path) => ask(second.api, path, acme.plaintext)));
  expect(after.map(({ status, body }) => ({ status, body }))).toEqual(
    before.map(({ status, body }) => ({ status, body })),
  );
  expect(after[0]?.headers["snapshot-id"]).toBe(before[0]?.headers["snapshot-id"]);
  // Nobody had asked for it: what cannot be read is a 500 as ever.
  expect((await ask(second.api, "/v1/programs/p2", acme.plaintext)).status).toBe(500);
  expect((await ask(second.api, "/v1/programs/none", acme.plaintext)).status).toBe(404);
  expect(JSON.parse(await admin(second, "/readyz"))).toMatchObject({
    status: "ready",
    note: expect.stringContaining("last good copy"),
  });
  expect(await admin(second, "/metrics")).toMatch(/^gateway_serving_last_good 1$/m);

  await publishSnapshot(stage.store, "acme", { programIds: ["p1"], generation: 6, mark: "six" });
  await stage.hop.restore();
  await eventually(
    () => list(second),
    ({ body }) => body.includes("six"),
  );
  await eventually(
    () => admin(second, "/metrics"),
    (text) => /^gateway_serving_last_good 0$/m.test(text),
  );
  expect(JSON.parse(await admin(second, "/readyz"))).toEqual({ status: "ready" });
});

test("W76: a body that only the copy has is served from the first read on that the store does not answer", async () => {
  const first = await stage.start();
  const before = await list(first);
  await written(5, 1, 3);
  await end(first);

  // The registry is looked at once, so it does not find out that the store is away.
  const second = await stage.start({ TOKEN_REFRESH_MS: "60000" });
  expect((await ask(second.api, "/v1/programs/none", acme.plaintext)).status).toBe(404);
  await stage.hop.refuse();
  expect(await list(second)).toEqual(before);
});

test("W76: a token revoked before the last confirmation stays revoked after a kill", async () => {
  const first = await stage.start();
  expect((await list(first, gone)).status).toBe(200);
  await written(5, 1, 3);
  await stage.tokens.write([acme, revoked(gone)]);
  await eventually(
    () => list(first, gone),
    ({ status }) => status === 401,
  );
  await written(5, 2, 3);
  await end(first);
  await stage.hop.refuse();
  const second = await stage.start();
  expect((await list(second, gone)).status).toBe(401);
  expect((await list(second, acme)).status).toBe(200);
});

test("W87: another store's copy never counts, and nobody else may read it", async () => {
  const first = await stage.start();
  expect((await list(first)).status).toBe(200);
  await written(5, 1, 3);
  await end(first);
  for (const path of await filesBelow(stage.directory)) {
    expect((await stat(path)).mode & 0o777, path).toBe(0o600);
  }
  await stage.hop.refuse();
  for (const elsewhere of [{ STORE_URL: "s3://programs/elsewhere" }, { AWS_PROFILE: "elsewhere" }]) {
    const second = await stage.start(elsewhere);
    expect((await list(second)).status, JSON.stringify(elsewhere)).toBe(500);
  }
});

test("W79: two gateways share a folder; a third goes by what either confirmed last", async () => {
  const [one, other] = await Promise.all([stage.start(), stage.start()]);
  expect((await list(one)).status).toBe(200);
  expect((await list(other)).status).toBe(200);
  await publishSnapshot(stage.store, "acme", { programIds: ["p1"], generation: 6, mark: "six" });
  await eventually(
    () => list(one),
    ({ body }) => body.includes("six"),
  );
  // The folder of the generation before is gone.
  await written(6, 1, 3);
  await end(one);
  await end(other, "SIGKILL");
  await stage.hop.refuse();
  const third = await stage.start();
  expect(await list(third)).toMatchObject({ status: 200, body: expect.stringContaining("six") });
});
