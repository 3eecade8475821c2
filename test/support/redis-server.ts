import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";
import { freePort } from "./free-port.ts";
import { eventually } from "./gateway-client.ts";

export const hasRedisServer = spawnSync("redis-server", ["--version"]).status === 0;

/** A Redis of the test's own, on a free port of the loopback. */
export interface RedisServer {
  readonly port: number;
  command(...words: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function startRedisServer(...options: readonly string[]): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), "redis-test-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory, ...options];
  const process: ChildProcess = spawn("redis-server", args, { stdio: "ignore" });
  const ended = once(process, "close");
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  client.on("error", () => {});
  await client.connect();
  return {
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
export async function startRedisCluster(): Promise<readonly RedisServer[]> {
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
