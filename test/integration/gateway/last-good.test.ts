import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { lastGoodFolder } from "../../../gateway/known/mirror-folder.ts";
import type { GatewayProcess } from "../../support/gateway-process.ts";
import { type PublishedSnapshot, publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
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
  await expect.poll(() => list(second)).toMatchObject({ body: expect.stringContaining("six") });
  await expect.poll(() => admin(second, "/metrics")).toMatch(/^gateway_serving_last_good 0$/m);
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
  expect([(await list(one)).status, (await list(other)).status]).toEqual([200, 200]);
  await publishSnapshot(stage.store, "acme", { programIds: ["p1"], generation: 6, mark: "six" });
  await expect.poll(() => list(one)).toMatchObject({ body: expect.stringContaining("six") });
  // The folder of the generation before is gone.
  await written(6, 1, 3);
  await end(one);
  await end(other, "SIGKILL");
  await stage.hop.refuse();
  const third = await stage.start();
  expect(await list(third)).toMatchObject({ status: 200, body: expect.stringContaining("six") });
});

describe("W77: killed at whatever write", () => {
  const published = new Map<string, PublishedSnapshot>();
  let generation = 0;

  async function publish(): Promise<void> {
    generation += 1;
    const snapshot = await publishSnapshot(stage.store, "acme", {
      programIds: ["p1"],
      generation,
      mark: `generation ${generation}`,
      minBytes: 20_000,
    });
    published.set(snapshot.snapshotId, snapshot);
  }

  /** Both resources, by whatever is there to answer. */
  async function askBoth(gateway: GatewayProcess): Promise<void> {
    const paths = ["/v1/programs", "/v1/programs/p1"];
    await Promise.allSettled(paths.map((path) => ask(gateway.api, path, acme.plaintext)));
  }

  /** Publishes and asks until the process is gone. */
  async function load(gateway: GatewayProcess): Promise<void> {
    let isOver = false;
    void gateway.ended.then(() => (isOver = true));
    while (!isOver) {
      await publish();
      await askBoth(gateway);
    }
  }

  /** A gateway that came to its end in peace, so that there is something to lose. */
  async function leaveCopy(): Promise<void> {
    await publish();
    const gateway = await stage.start();
    await askBoth(gateway);
    gateway.signal("SIGTERM");
    await gateway.ended;
  }

  test("W77: killed at whatever write, it starts again and serves right bytes only, of no older generation", async () => {
    const folder = await lastGoodFolder(stage.directory, `s3://programs/ ${stage.hop.url}`);
    await leaveCopy();
    let newest = 0;
    for (let writes = 1; writes <= rounds; writes += 1) {
      await publish();
      // The kill meets a file while it is made, written, renamed, or just after.
      let seen = 0;
      const watcher = watch(folder, { recursive: true });
      const gateway = await stage.start();
      watcher.on("change", () => {
        seen += 1;
        if (seen === writes) gateway.signal("SIGKILL");
      });
      await load(gateway);
      watcher.close();

      await stage.hop.refuse();
      const next = await stage.start();
      const list = await ask(next.api, "/v1/programs", acme.plaintext);
      const detail = await ask(next.api, "/v1/programs/p1", acme.plaintext);
      for (const { status, headers } of [list, detail]) {
        expect([200, 500]).toContain(status);
        if (status !== 200) continue;
        const snapshot = published.get(headers["snapshot-id"] ?? "");
        expect(snapshot?.generation).toBeGreaterThanOrEqual(newest);
        newest = snapshot?.generation ?? newest;
      }
      const [listed, detailed] = [list, detail].map(({ headers }) =>
        published.get(headers["snapshot-id"] ?? ""),
      );
      if (list.status === 200) expect(list.body).toEqual(listed?.list);
      if (detail.status === 200) expect(detail.body).toEqual(detailed?.details.get("p1"));
      next.signal("SIGKILL");
      await next.ended;
      await stage.hop.restore();
    }
    // How much a killed one leaves depends on how far it came. After all of them, one that ends in peace
    // leaves everything.
    await leaveCopy();
    await stage.hop.refuse();
    const last = await stage.start();
    const answers = await Promise.all(
      ["/v1/programs", "/v1/programs/p1"].map((path) => ask(last.api, path, acme.plaintext)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(published.get(answers[0]?.headers["snapshot-id"] ?? "")?.generation).toBe(generation);
  });

  const rounds = 8;
});
