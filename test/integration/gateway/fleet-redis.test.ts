import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFleetCounter, type FleetCounter } from "../../../gateway/fleet-counter.ts";
import { createProcessCounter } from "../../../gateway/quota.ts";
import { eventually } from "../../support/gateway-client.ts";
import { hasRedisServer, startRedisCluster, startRedisServer } from "../../support/redis-server.ts";

function counterAt(port: number): FleetCounter {
  const counter = createFleetCounter({
    url: () => new URL(`redis://127.0.0.1:${port}`),
    windowSeconds: 60,
    timeoutMs: 5000,
    insurance: createProcessCounter(60, () => performance.now()),
    logger: pino({ level: "silent" }),
  });
  onTestFinished(() => counter.close());
  return counter;
}

/** An address behind which another server can take over. Connections that are open stay with the server that they had. */
async function addressOf(first: number): Promise<{ readonly port: number; leadTo(port: number): void }> {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    leadTo(next) {
      target = next;
    },
  };
}

describe.skipIf(!hasRedisServer)("W53 gateways with one Redis", () => {
  test("count together again within 5 s after it failed over behind its address", async () => {
    const [demoted, promoted] = [await startRedisServer(), await startRedisServer()];
    onTestFinished(async () => void (await Promise.all([demoted.close(), promoted.close()])));
    const address = await addressOf(demoted.port);
    const counters = [counterAt(address.port), counterAt(address.port)];
    await eventually(
      () => counters.every((counter) => counter.isShared()),
      (isShared) => isShared,
    );
    const key = randomUUID();
    for (const counter of counters) await counter.hit(key);

    address.leadTo(promoted.port);
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
    const counters = nodes.map(({ port }) => counterAt(port));
    await eventually(
      () => counters.every((counter) => counter.isShared()),
      (isShared) => isShared,
    );
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
    const [counter] = nodes.map(({ port }) => counterAt(port));
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
