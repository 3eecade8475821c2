import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createLogger } from "../../../core/process/logger.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { Gateway } from "../../../gateway/gateway.ts";
import type { StoreReader } from "../../../gateway/known/store-reader.ts";
import { freePort } from "../../support/free-port.ts";
import { eventually } from "../../support/gateway-client.ts";
import { faultyStore, stuck, unavailable } from "../../support/gateway-faulty-store.ts";
import { testSettings } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken } from "../../support/gateway-tokens.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
let gateway: Gateway;
let directory: string;

afterEach(async () => {
  await gateway.stop();
  await rm(directory, { recursive: true, force: true });
});

/** A gateway that is not started yet, on ports that are known beforehand. */
async function create(
  seenTokens: (store: ObjectStore) => StoreReader,
  registryMs = 60_000,
): Promise<{ readonly api: string; readonly admin: string }> {
  directory = await mkdtemp(join(tmpdir(), "gateway-start-"));
  const store = createFileStore({ directory });
  await createTokenFile(store).write([acme]);
  await publishSnapshot(store, "acme", { programIds: ["p1"] });
  const [port, adminPort] = [await freePort(), await freePort()];
  const destination = { write(): void {} };
  gateway = new Gateway({
    settings: testSettings({ PORT: String(port), ADMIN_PORT: String(adminPort) }),
    store,
    documentStore: store,
    tokenStore: seenTokens(store),
    program: "test",
    logger: createLogger({ level: "debug", program: "test", destination }),
    destination,
    waits: { registryMs },
  });
  return { api: `http://127.0.0.1:${port}`, admin: `http://127.0.0.1:${adminPort}` };
}

/** The status of an answer, or `refused` where nobody listens. */
async function statusOf(url: string): Promise<number | "refused"> {
  try {
    const { status } = await fetch(url, { headers: { Authorization: `Bearer ${acme.plaintext}` } });
    return status;
  } catch {
    return "refused";
  }
}

test("behind a store that is slow and fails at first the API opens with the registry read: nobody gets a 500 from a restart", async () => {
  let answer = (): void => {};
  const slow = new Promise<void>((resolve) => (answer = resolve));
  let calls = 0;
  const { api, admin } = await create((store) => ({
    async get(key, options) {
      await slow;
      calls += 1;
      return calls < 4 ? unavailable(() => store.get(key), options) : await store.get(key, options);
    },
  }));
  const started = gateway.start();
  const statuses = new Set<number | "refused">();
  await expect.poll(() => statusOf(`${admin}/readyz`)).toBe(503);
  expect(await statusOf(`${admin}/healthz`)).toBe(200);
  for (let at = 0; at < 20; at += 1) statuses.add(await statusOf(`${api}/v1/programs`));
  answer();
  await eventually(
    () => statusOf(`${api}/v1/programs`),
    (status) => statuses.add(status) && status === 200,
  );
  expect([...statuses]).toEqual(["refused", 200]);
  await started;
  expect(await statusOf(`${admin}/readyz`)).toBe(200);
});

function never(store: ObjectStore): StoreReader {
  const seen = faultyStore(store);
  seen.breakKeys(/./, stuck);
  return seen;
}

test("a store that never answers keeps the API closed for a while only; then it is open, and not ready", async () => {
  const { api, admin } = await create(never, 300);
  await gateway.start();
  expect(await statusOf(`${api}/v1/programs`)).toBe(500);
  expect((await fetch(`${api}/v1/programs`)).status).toBe(401);
  expect(await statusOf(`${admin}/readyz`)).toBe(503);
});

test("a gateway that is stopped before it listens never does", async () => {
  const { api, admin } = await create(never);
  const started = gateway.start();
  const refused = expect(started).rejects.toMatchObject({ code: "interrupted" });
  await gateway.stop();
  await refused;
  expect(await statusOf(`${api}/v1/programs`)).toBe("refused");
  expect(await statusOf(`${admin}/healthz`)).toBe("refused");
});
