// `npm run bench:fleet [-- --rounds N] [--seconds S] [--redis URL]`: one gateway against two on the same machine that count
// their partners' requests together in Redis. Loader and Redis take their share of the same cores, so besides requests per
// second the table shows what each request costs the gateways.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { runCli } from "../demo/programs.ts";
import { load } from "./load.ts";
import { median, reportBench } from "./report.ts";
import { type BenchServer, startServer } from "./servers.ts";
import { publishList } from "./synthetic-tenant.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    redis: { type: "string", default: "redis://127.0.0.1:6379" },
  },
});
const seconds = Number(values.seconds);
const connections = 32;
const folder = mkdtempSync(join(tmpdir(), "partner-programs-bench-"));
const storeUrl = `file:${folder}/store`;

try {
  const list = Buffer.from(`{"data":["${"x".repeat(10_000)}"],"meta":{"count":1}}`);
  await publishList(createFileStore({ directory: join(folder, "store") }), "bench", list);
  const created = await runCli(["token", "create", "--tenant", "bench"], { STORE_URL: storeUrl });
  const gateways = await Promise.all([startGateway(), startGateway()]);
  try {
    reportBench("fleet", await measure(gateways, { Authorization: `Bearer ${created.trim()}` }));
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function startGateway(): Promise<BenchServer> {
  return startServer("gateway/main.js", {
    STORE_URL: storeUrl,
    REDIS_URL: values.redis,
    PORT: "0",
    ADMIN_PORT: "off",
    RATE_LIMIT_REQUESTS: "1000000000",
  });
}

async function measure(
  gateways: readonly BenchServer[],
  headers: Readonly<Record<string, string>>,
): Promise<Record<string, string | number>[]> {
  const rates = new Map<number, number[]>();
  const costs = new Map<number, number[]>();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const count of [1, 2]) {
      const loaded = gateways.slice(0, count);
      const before = cpuMicros(loaded);
      const results = await Promise.all(
        loaded.map(({ url }) => load({ url: `${url}/v1/programs`, headers, connections, seconds })),
      );
      if (results.some(({ errors }) => errors > 0)) throw new Error("an answer was wrong");
      const rate = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
      rates.set(count, [...(rates.get(count) ?? []), rate]);
      costs.set(count, [...(costs.get(count) ?? []), (cpuMicros(loaded) - before) / (rate * seconds)]);
    }
  }
  const alone = median(rates.get(1) ?? []);
  return [1, 2].map((count) => ({
    case: `${count} gateway(s)`,
    "requests/s": Math.round(median(rates.get(count) ?? [])),
    "times one": Number((median(rates.get(count) ?? []) / alone).toFixed(2)),
    "cpu µs per request": Math.round(median(costs.get(count) ?? [])),
  }));
}

function cpuMicros(servers: readonly BenchServer[]): number {
  return servers.reduce((sum, server) => sum + server.cpuMicros(), 0);
}
