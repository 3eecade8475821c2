import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, createClient } from "../../support/gateway-client.ts";
import { type GatewayFleet, startFleet } from "../../support/gateway-fleet.ts";
import type { GatewayProcess } from "../../support/gateway-process.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import {
  type HostilePlan,
  hostileBytes,
  hostilePlan,
  startHostileClient,
} from "../../support/hostile-client.ts";

// Bounded and seeded, as the other fuzz tests. The gateway has a process of its own, so that its memory and its
// processor time are its alone, and the neighbour's waiting is not for the test.
const runs = { seed: 20_260_102, numRuns: Math.ceil(Number(process.env.FUZZ_RUNS ?? 1000) / 50) };

const acme = issueToken("acme", { rateLimit: 1_000_000_000 });
let fleet: GatewayFleet;
let gateway: GatewayProcess;
let neighbour: Client;

beforeAll(async () => {
  fleet = await startFleet({
    size: 1,
    env: { HEADERS_TIMEOUT_SECONDS: "1", LOG_LEVEL: "warn" },
    async fill(store, tokens) {
      await tokens.write([acme]);
      await publishSnapshot(store, "acme", { programIds: ["p1"], minBytes: 1024 * 1024 });
    },
  });
  const [first] = fleet.gateways;
  gateway = first ?? expect.fail("no gateway");
  neighbour = createClient(gateway.api);
});

afterAll(async () => {
  neighbour.close();
  await fleet.close();
});

async function usage(): Promise<{ readonly cpuSeconds: number; readonly residentBytes: number }> {
  const lines = (await (await fetch(`${gateway.admin}/metrics`)).text()).split("\n");
  const value = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
  return {
    cpuSeconds: value("process_cpu_seconds_total"),
    residentBytes: value("process_resident_memory_bytes"),
  };
}

/** What the machine keeps from the gateway does not count: no longer than the processor time that it took meanwhile. */
async function neighbourMs(): Promise<number> {
  const before = (await usage()).cpuSeconds;
  const beganAt = performance.now();
  const { status } = await neighbour.get("/v1/programs/p1", acme.plaintext);
  const waitedMs = performance.now() - beganAt;
  expect(status).toBe(200);
  return Math.min(waitedMs, ((await usage()).cpuSeconds - before) * 1000);
}

/** Lets the clients do their worst, all at once, and gives the longest that the neighbour waited meanwhile. */
async function longestWaitMs(plans: readonly HostilePlan[]): Promise<number> {
  const clients = plans.map((plan) => startHostileClient(gateway.api, plan));
  let isOver = false;
  // A client that the gateway does not read from any more is not waited for.
  const enough = new Promise((resolve) => setTimeout(resolve, 1000));
  const over = Promise.race([Promise.all(clients.map(({ done }) => done)), enough]).then(() => {
    isOver = true;
  });
  let longest = 0;
  do longest = Math.max(longest, await neighbourMs());
  while (!isOver);
  await over;
  // What was sent last may still be on its way through the gateway.
  longest = Math.max(longest, await neighbourMs());
  for (const client of clients) client.leave();
  return longest;
}

test("whatever clients send, and however they read, it costs what its size costs: processor, memory and neighbours' time", async () => {
  let undisturbedMs = 0;
  for (let at = 0; at < 50; at += 1) undisturbedMs = Math.max(undisturbedMs, await neighbourMs());
  const before = await usage();
  let bytes = 0;
  let mostResident = before.residentBytes;
  await fc.assert(
    fc.asyncProperty(fc.array(hostilePlan(acme.plaintext), { minLength: 1, maxLength: 8 }), async (plans) => {
      for (const plan of plans) bytes += hostileBytes(plan).length;
      expect(await longestWaitMs(plans)).toBeLessThan(2000 + 20 * undisturbedMs);
      mostResident = Math.max(mostResident, (await usage()).residentBytes);
    }),
    // Shrinking would repeat what just took too long.
    { ...runs, endOnFailure: true },
  );
  const after = await usage();
  const megabytes = bytes / 1e6;
  expect(after.cpuSeconds - before.cpuSeconds).toBeLessThan(3 + megabytes / 5);
  expect(mostResident - before.residentBytes).toBeLessThan(300 * 1024 * 1024);
});
