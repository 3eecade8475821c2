import { execFileSync } from "node:child_process";
import { closeSync, cpSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { tokenRegistryBytes } from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { storeKey, tokensKey } from "../../../core/ground/object-key.ts";
import { storeIdentityBytes } from "../../../core/process/open-store.ts";
import { sha256Hex } from "../../../core/store/object-body.ts";
import { lastGoodFolder } from "../../../gateway/known/mirror-folder.ts";
import type { StoreReader } from "../../../gateway/known/store-reader.ts";
import { testStoreId } from "../../support/begun-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { type FixtureOptions, type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { type IssuedToken, issueToken, revoked } from "../../support/gateway-tokens.ts";
import { ask } from "../../support/last-good-stage.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { patience } from "../../support/patience.ts";

const path = "/v1/programs";

const root = folderForAllTests();
const running: GatewayFixture[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close();
});

async function start(options: FixtureOptions): Promise<GatewayFixture> {
  const gateway = await startGateway(options);
  running.push(gateway);
  return gateway;
}

test("W170: ended at the first 401 of a revoked token, and started again without the store, a gateway refuses it still", async () => {
  const acme = issueToken("acme", { rateLimit: 1_000_000 });
  const folder = await lastGoodFolder(join(root, "kept"), "test");
  const gateway = await start({
    fill: async (store) => void (await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 1 })),
    lastGoodFolder: folder,
    // However slow this machine's disk is.
    waits: { keepMs: patience.timeout },
  });
  for (let round = 1; round <= rounds; round += 1) {
    const status = async () => (await ask(gateway.api, path, acme.plaintext)).status;
    await gateway.tokens.write([acme]);
    await eventually(status, (seen) => seen === 200);
    await gateway.tokens.write([revoked(acme)]);
    // No pause: what is on the disk counts as soon as anybody can know of the refusal.
    while ((await status()) !== 401);
    const left = await lastGoodFolder(join(root, `left-${round}`), "test");
    cpSync(folder, left, { recursive: true });

    const next = await start({ seen: () => away, lastGoodFolder: left });
    expect((await ask(next.api, path, acme.plaintext)).status, `round ${round}`).toBe(401);
  }
});

test("W170: a revocation takes effect, and a new token works, on a disk that hangs", async () => {
  const [before, after] = [issueToken("acme"), issueToken("acme")];
  const identity = storeIdentityBytes({ storeId: testStoreId(), createdAt: "2026-11-01T00:00:00Z" });
  let registry = registryOf(1, [before]);
  const store: StoreReader = {
    async get(key, options) {
      const bytes = key === tokensKey ? registry : key === storeKey ? identity : undefined;
      if (bytes === undefined) return { kind: "missing" };
      const etag = `"${sha256Hex(bytes)}"`;
      if (options?.ifNoneMatch === etag) return { kind: "not_modified" };
      const body = Readable.from([bytes]);
      return { kind: "object", etag, body, size: bytes.length, modifiedAt: new Date() };
    },
  };
  const gateway = await start({ seen: () => store, lastGoodFolder: await lastGoodFolder(root, "test") });
  const disk = hangingDisk(root);
  try {
    registry = registryOf(2, [revoked(before), after]);
    // Nothing is published: a token that is good gets as far as that.
    for (const [token, status] of [
      [before, 401],
      [after, 500],
    ] as const)
      await expect.poll(() => ask(gateway.api, path, token.plaintext)).toMatchObject({ status });
    expect(disk.hangs()).toBe(true);
  } finally {
    await disk.release();
  }
});

function registryOf(revision: number, tokens: readonly IssuedToken[]): Buffer {
  return Buffer.from(tokenRegistryBytes({ revision, tokens: tokens.map(({ entry }) => entry) }));
}

/**
 * From now on all calls of this process to the file system wait, since each thread that Node.js has for them
 * does.
 */
function hangingDisk(folder: string): { hangs(): boolean; release(): Promise<void> } {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  let hangs = true;
  // To open a pipe takes until somebody opens its other end.
  const waiting = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, async () => {
    const file = await open(pipe, "r");
    hangs = false;
    await file.close();
  });
  return {
    hangs: () => hangs,
    async release() {
      const other = openSync(pipe, "r+");
      await Promise.all(waiting);
      closeSync(other);
    },
  };
}

const away: StoreReader = {
  async get() {
    throw new Failure("store_unavailable", "The store is away.");
  },
};
const rounds = 5;
