// `npm run bench:fleet [-- --rounds N] [--seconds S] [--redis URL]`: one gateway against two on the same machine that count
// their partners' requests together in Redis. Loader and Redis take their share of the same cores, which two gateways at full
// load would need whole. So they are measured with pauses between the requests, too, which leave the cores some rest: what
// the second one costs and serves then is what it would on a machine of its own.
import { join } from "node:path";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { benchOptions } from "./bench-options.ts";
import { load } from "./load.ts";
import { median, type Row, reportBench } from "./report.ts";
import { type BenchServer, startGateway } from "./servers.ts";
import { publishList } from "./synthetic-tenant.ts";
import { tokenHeaders } from "./token-headers.ts";

const values = benchOptions({ rounds: "5", seconds: "3", redis: "redis://127.0.0.1:6379" });
const seconds = Number(values.seconds);
const connections = 32;
const folder = temporaryFolder("bench");
const storeUrl = `file:${folder}/store`;

const list = Buffer.from(`{"data":["${"x".repeat(10_000)}"],"meta":{"count":1}}`);
await publishList(createFileStore({ directory: join(folder, "store") }), "bench", list);
const settings = { STORE_URL: storeUrl, REDIS_URL: values.redis };
const gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
try {
  reportBench("fleet", await measure(await tokenHeaders("bench", { STORE_URL: storeUrl })));
} finally {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
}

async function measure(headers: Readonly<Record<string, string>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [title, pauseMs] of [
    ["full load", undefined],
    ["pauses of 3 ms", 3],
  ] as const) {
    const [ones, twos]: [Run[], Run[]] = [[], []];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      ones.push(await run(gateways.slice(0, 1), headers, pauseMs));
      twos.push(await run(gateways, headers, pauseMs));
    }
    const alone = median(ones.map(({ rate }) => rate));
    for (const [count, runs] of [ones, twos].entries()) {
      const rate = median(runs.map((one) => one.rate));
      rows.push({
        case: `${count + 1} gateway(s), ${title}`,
        "requests/s": Math.round(rate),
        "times one": Number((rate / alone).toFixed(2)),
        "cpu µs per request": Math.round(median(runs.map(({ cost }) => cost))),
      });
    }
  }
  return rows;
}

interface Run {
  /** Requests per second, of all gateways together. */
  readonly rate: number;
  /** Processor time of a request, in microseconds. */
  readonly cost: number;
}

async function run(
  gateways: readonly BenchServer[],
  headers: Readonly<Record<string, string>>,
  pauseMs: number | undefined,
): Promise<Run> {
  const before = cpuMicros(gateways);
  const results = await Promise.all(
    gateways.map(({ url }) => load({ url: `${url}/v1/programs`, headers, connections, seconds, pauseMs })),
  );
  if (results.some(({ errors }) => errors > 0)) throw new Error("an answer was wrong");
  const rate = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  return { rate, cost: (cpuMicros(gateways) - before) / (rate * seconds) };
}

function cpuMicros(servers: readonly BenchServer[]): number {
  return servers.reduce((sum, server) => sum + server.cpuMicros(), 0);
}
