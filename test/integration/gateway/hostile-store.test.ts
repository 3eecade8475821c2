import { afterAll, beforeAll, expect, test } from "vitest";
import type { ObjectStore } from "../../../core/object-store.ts";
import { createS3Store } from "../../../core/s3-store/s3-store.ts";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken } from "../../support/gateway-tokens.ts";
import { type S3Server, startS3Server, testBucket } from "../../support/s3-server.ts";

const storeTimeoutMs = 1000;
/** More than a gateway with so small a cache keeps, so it is streamed. */
const largeBytes = 300_000;
const tokens = { acme: issueToken("acme"), globex: issueToken("globex") };

let server: S3Server;
let store: ObjectStore;
let gateway: GatewayProcess;
beforeAll(async () => {
  server = await startS3Server();
  const { connection } = server;
  store = createS3Store({
    bucket: testBucket,
    prefix: "",
    forcePathStyle: true,
    timeoutMs: 10_000,
    connection,
  });
  await publishSnapshot(store, "acme", { programIds: ["p1"] });
  await publishSnapshot(store, "globex", { programIds: ["p1"], minBytes: largeBytes });
  await createTokenFile(store).write(Object.values(tokens));
  gateway = await startGatewayProcess({
    ...server.env,
    STORE_URL: `s3://${testBucket}`,
    STORE_TIMEOUT_MS: String(storeTimeoutMs),
    CACHE_MAX_MB: "1",
    RATE_LIMIT_REQUESTS: "1000000",
  });
});
afterAll(async () => {
  gateway.signal("SIGTERM");
  await gateway.ended;
  await store.close();
  await server.close();
});

test("a store that drips a tenant's list holds that request for its deadline, and nobody else's", async () => {
  await expect.poll(() => listOf("acme")).toBe("200 whole");
  server.faults.add({
    kind: "dripping",
    operation: "GetObject",
    keyEnd: "v1/programs.json",
    times: Number.POSITIVE_INFINITY,
  });
  let isSettled = false;
  const beganAt = performance.now();
  const dripped = listOf("globex").finally(() => {
    isSettled = true;
  });
  let served = 0;
  while (!isSettled) {
    expect(await listOf("acme")).toBe("200 whole");
    served += 1;
  }
  expect(await dripped).not.toContain("whole");
  // The store would have taken four hours.
  expect(performance.now() - beganAt).toBeLessThan(30 * storeTimeoutMs);
  expect(served).toBeGreaterThan(5);
  await expect.poll(() => gateway.output()).toContain("came too slowly");
  server.faults.clear();
  await expect.poll(() => listOf("globex")).toBe("200 whole");
});

async function listOf(tenant: keyof typeof tokens): Promise<string> {
  const headers = { authorization: `Bearer ${tokens[tenant].plaintext}` };
  try {
    const answer = await fetch(`${gateway.api}/v1/programs`, { headers });
    const length = (await answer.text()).length;
    return `${answer.status} ${answer.status === 200 && length > 0 ? "whole" : "failed"}`;
  } catch (error) {
    return `cut off: ${String(error)}`;
  }
}
