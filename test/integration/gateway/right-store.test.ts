import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { tokensKey } from "../../../core/ground/object-key.ts";
import { beginTestStore, testStoreId } from "../../support/begun-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken } from "../../support/gateway-tokens.ts";

const acme = issueToken("acme");
let gateway: GatewayFixture;
afterEach(() => gateway.close());

const fast = { TOKEN_REFRESH_MS: "50", SNAPSHOT_REFRESH_MS: "50" };

async function start(options: FixtureOptions = {}): Promise<void> {
  gateway = await startGateway({ ...options, env: { ...fast, ...options.env }, waits: { registryMs: 200 } });
}

const filled: FixtureOptions["fill"] = async (store, tokens) => {
  await beginTestStore(store);
  await tokens.write([acme]);
  await publishSnapshot(store, "acme", { programIds: ["p1", "p2"] });
};

async function ask(
  path = "",
  token: string | undefined = acme.plaintext,
  requestId = "r-1",
): Promise<number> {
  const headers = { "x-request-id": requestId, ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${gateway.api}/v1/programs${path}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

async function ready(): Promise<{
  readonly status: number;
  readonly reason?: string;
  readonly note?: string;
}> {
  const answer = await fetch(`${gateway.admin}/readyz`);
  return { ...((await answer.json()) as object), status: answer.status };
}

async function metric(pattern: RegExp): Promise<readonly string[]> {
  return (await gateway.metrics()).split("\n").filter((line) => pattern.test(line));
}

const away = (): string => `${gateway.directory}-away`;

describe("a gateway without a store", () => {
  test("W160 is not ready, answers 500 to well-formed tokens and 401 to others, and is ready once the store comes", async () => {
    await start();
    expect(await ready()).toMatchObject({
      status: 503,
      reason: expect.stringContaining("store.json is missing"),
    });
    expect([await ask(), await ask("", ""), await ask("", "ppr_no")]).toEqual([500, 401, 401]);
    expect(gateway.log.find(({ status }) => status === 500)).toMatchObject({
      causeCode: "registry_unconfirmed",
      cause: expect.stringContaining("no store in"),
    });
    await filled?.(gateway.store, createTokenFile(gateway.store));
    // Between `store.json` and the registry it is a store without tokens.
    await eventually(ask, (status) => status === 200);
    expect((await ready()).status).toBe(200);
  });

  test("W160 is what a registry without store.json is; with store.json alone there is an empty registry", async () => {
    const fill: FixtureOptions["fill"] = async (store, tokens) => {
      await tokens.write([acme]);
      await store.delete(["store.json" as typeof tokensKey]);
    };
    await start({ fill });
    expect([(await ready()).status, await ask()]).toEqual([503, 500]);
    await gateway.close();
    await start({ fill: (store) => beginTestStore(store) });
    expect([(await ready()).status, await ask()]).toEqual([200, 401]);
    expect(gateway.gateway.storeId()).toBe(testStoreId());
    expect(await metric(/^gateway_store_info/)).toEqual([
      `gateway_store_info{store_id="${testStoreId()}"} 1`,
    ]);
  });

  test("W161 with STORE_ID set answers 500 in another store and in one without identity, until the right one is there", async () => {
    await start({ env: { STORE_ID: testStoreId("b") }, fill: filled });
    expect(await ready()).toMatchObject({ status: 503, reason: expect.stringContaining(testStoreId("a")) });
    expect(await ask()).toBe(500);
    expect(await metric(/^gateway_store_info/)).toEqual([
      `gateway_store_info{store_id="${testStoreId("b")}"} 1`,
      `gateway_store_info{store_id="${testStoreId("a")}"} 0`,
    ]);
    await gateway.store.delete(["store.json" as typeof tokensKey]);
    await eventually(ready, ({ reason }) => reason?.includes("there is no store.json") === true);
    await beginTestStore(gateway.store, testStoreId("b"));
    expect(await eventually(ask, (status) => status !== 500)).toBe(200);
  });
});

describe("a gateway that runs", () => {
  test("W162 serves what it holds when its store is gone, says so in the log, and finds no file damaged", async () => {
    await start({ fill: filled });
    expect(await ask()).toBe(200);
    await rename(gateway.directory, away());
    await eventually(ready, ({ note }) => note?.includes("no store in") === true);
    expect((await ready()).status).toBe(200);
    // The line names the store that is gone.
    const gone = { level: "warn", storeId: testStoreId(), cause: expect.stringContaining("no store in") };
    await expect.poll(() => gateway.log).toContainEqual(expect.objectContaining(gone));
    expect(await ask("/p2", acme.plaintext, "r-cold")).toBe(500);
    expect(gateway.log.find(({ requestId }) => requestId === "r-cold")).toMatchObject({
      causeCode: "store_unreachable",
    });
    const line = await eventually(
      async () => {
        expect(await ask("", acme.plaintext, "r-held")).toBe(200);
        return gateway.log.findLast(({ requestId }) => requestId === "r-held");
      },
      (found) => found?.unconfirmedSince !== undefined,
    );
    expect(line).toMatchObject({
      unconfirmedSince: expect.stringMatching(/^\d{4}-.*Z$/),
      unconfirmedCode: "store_unreachable",
    });
    await rename(away(), gateway.directory);
    await eventually(ask.bind(undefined, "/p2"), (status) => status === 200);
    await eventually(
      async () => {
        await ask("", acme.plaintext, "r-again");
        return gateway.log.findLast(({ requestId }) => requestId === "r-again");
      },
      (found) => found !== undefined && !("unconfirmedSince" in found),
    );
  });

  test("W161 believes nothing of another store that takes the place of its own", async () => {
    await start({ fill: filled });
    expect(await ask()).toBe(200);
    await rename(gateway.directory, away());
    await mkdir(gateway.directory);
    await beginTestStore(gateway.store, testStoreId("b"));
    await createTokenFile(gateway.store).write([issueToken("acme")]);
    await publishSnapshot(gateway.store, "acme", { programIds: ["p9"], generation: 99 });
    await eventually(ready, ({ note }) => note?.includes(`is the store ${testStoreId("b")}`) === true);
    expect([await ask(), await ask("/p9")]).toEqual([200, 404]);
    expect(await metric(/^gateway_store_info/)).toEqual([
      `gateway_store_info{store_id="${testStoreId("a")}"} 1`,
      `gateway_store_info{store_id="${testStoreId("b")}"} 0`,
    ]);
    await rm(gateway.directory, { recursive: true });
    await rename(away(), gateway.directory);
    await eventually(ready, ({ note }) => note === undefined);
    expect(await metric(/^gateway_store_info/)).toHaveLength(1);
  });

  test("W161 goes by the store of its last good copy after a restart: it serves that, and is not ready", async () => {
    const kept = join(`${process.env.TMPDIR ?? "/tmp"}`, `kept-${process.pid}`);
    await mkdir(kept, { mode: 0o700 });
    try {
      await start({ fill: filled, lastGoodFolder: kept });
      expect(await ask()).toBe(200);
      await gateway.close();
      await start({
        lastGoodFolder: kept,
        fill: async (store, tokens) => {
          await beginTestStore(store, testStoreId("b"));
          await tokens.write([]);
        },
      });
      expect(await ready()).toMatchObject({ status: 503, reason: expect.stringContaining(testStoreId("b")) });
      expect(await ask()).toBe(200);
      expect(await ask("", issueToken("acme").plaintext)).toBe(401);
      expect(await metric(/^gateway_tokens\{status="valid"/)).toEqual(['gateway_tokens{status="valid"} 1']);
      expect(await metric(/^gateway_store_info.* 0$/)).toHaveLength(1);
    } finally {
      await rm(kept, { recursive: true, force: true });
    }
  });
});
