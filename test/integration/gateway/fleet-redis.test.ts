import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createClient } from "redis";
import { describe, expect, onTestFinished, test } from "vitest";
import { FleetCounter } from "../../../gateway/request/fleet-counter.ts";
import { createProcessCounter } from "../../../gateway/request/quota.ts";
import { freePort } from "../../support/free-port.ts";
import { eventually } from "../../support/gateway-client.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

const hasRedisServer = spawnSync("redis-server", ["--version"]).status === 0;

function counterAt(url: string): FleetCounter {
  const counter = new FleetCounter({
    url: () => new URL(url),
    windowSeconds: 60,
    timeoutMs: 5000,
    insurance: createProcessCounter(60, () => performance.now()),
    logger: pino({ level: "silent" }),
  });
  onTestFinished(() => counter.close());
  return counter;
}

describe.skipIf(!hasRedisServer)("W53 gateways with one Redis", () => {
  test("count together again within 5 s after it failed over behind its address", async () => {
    const [demoted, promoted] = [await startRedisServer(), await startRedisServer()];
    onTestFinished(async () => void (await Promise.all([demoted.close(), promoted.close()])));
    const proxy = await startTcpProxy(demoted.url);
    onTestFinished(() => proxy.refuse());
    const counters = [counterAt(proxy.url), counterAt(proxy.url)];
    await expect.poll(() => counters.every((counter) => counter.isShared())).toBe(true);
    const key = randomUUID();
    for (const counter of counters) await counter.hit(key);

    proxy.leadTo(promoted.url);
    await demoted.command("REPLICAOF", "127.0.0.1", String(promoted.port));
    const failedAt = performance.now();
    const after = randomUUID();
    await eventually(
      async () => {
        for (const counter of counters) await counter.hit(after);
        return counters.every((counter) => counter.isShared());
      },
      (isShared) => isShared,
    );
    expect(performance.now() - failedAt).toBeLessThan(5000);
    const [one, other] = counters;
    const before = (await one?.hit(after))?.consumedPoints ?? 0;
    expect((await other?.hit(after))?.consumedPoints).toBe(before + 1);
  });

  test("count every key together in a Redis Cluster, given any one node of it", async () => {
    const nodes = await startRedisCluster();
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
    const counters = nodes.map(({ url }) => counterAt(url));
    await expect.poll(() => counters.every((counter) => counter.isShared())).toBe(true);
    for (const key of Array.from({ length: 40 }, () => randomUUID())) {
      const places: number[] = [];
      for (const counter of counters) places.push((await counter.hit(key)).consumedPoints);
      expect(places).toEqual([1, 2]);
    }
  });

  test("find out that it is a cluster from its first answer where they may not ask", async () => {
    const nodes = await startRedisCluster();
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
    for (const node of nodes) await node.command("ACL", "SETUSER", "default", "-info");
    const [counter] = nodes.map(({ url }) => counterAt(url));
    const keys = async (): Promise<number> => {
      const sizes = await Promise.all(nodes.map((node) => node.command("DBSIZE")));
      return sizes.reduce<number>((sum, size) => sum + Number(size), 0);
    };
    const counted = async (): Promise<number> => {
      const before = await keys();
      for (let at = 0; at < 20; at += 1) await counter?.hit(randomUUID());
      return (await keys()) - before;
    };
    await eventually(counted, (count) => count === 20);
    expect(counter?.isShared()).toBe(true);
  });
});

/** A Redis of the test's own, on a free port of the loopback. */
interface RedisServer {
  readonly url: string;
  readonly port: number;
  command(...words: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

async function startRedisServer(...options: readonly string[]): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), "redis-test-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory, ...options];
  const process: ChildProcess = spawn("redis-server", args, { stdio: "ignore" });
  const ended = once(process, "close");
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url });
  client.on("error", () => {});
  await client.connect();
  return {
    url,
    port,
    command: (...words) => client.sendCommand([...words]),
    async close() {
      client.destroy();
      process.kill();
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}

/** A cluster of two masters, each with half of the slots. */
async function startRedisCluster(): Promise<readonly RedisServer[]> {
  const start = async (): Promise<RedisServer> =>
    startRedisServer("--cluster-enabled", "yes", "--cluster-port", String(await freePort()));
  const [first, second] = [await start(), await start()];
  await first.command("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
  await second.command("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
  const bus = /,?@(\d+)/.exec(String(await second.command("CLUSTER", "NODES")))?.[1] ?? "";
  await first.command("CLUSTER", "MEET", "127.0.0.1", String(second.port), bus);
  for (const { command } of [first, second]) {
    await eventually(
      async () => String(await command("CLUSTER", "INFO")),
      (info) => info.includes("cluster_state:ok") && info.includes("cluster_known_nodes:2"),
    );
  }
  return [first, second];
}
