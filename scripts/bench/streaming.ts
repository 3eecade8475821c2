// `npm run bench:streaming [-- --rounds N] [--seconds S] [--mb N]`: a list too large for the cache, streamed from a folder
// and checked on its way, against a bare server that pipes the file; and the gateway's memory with 100 readers at once.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { benchOptions } from "./bench-options.ts";
import { load } from "./load.ts";
import { memoryMb } from "./process-figures.ts";
import { median, type Row, reportBench } from "./report.ts";
import { type BenchServer, startGateway, startServer } from "./servers.ts";
import { publishList } from "./synthetic-tenant.ts";
import { tokenHeaders } from "./token-headers.ts";

const values = benchOptions({ rounds: "5", seconds: "4", mb: "20" });
const seconds = Number(values.seconds);
const bytes = Number(values.mb) * 1e6;
const folder = temporaryFolder("bench");
const storeUrl = `file:${folder}/store`;

const list = Buffer.from(`{"data":["${"x".repeat(bytes)}"],"meta":{"count":1}}`);
await publishList(createFileStore({ directory: join(folder, "store") }), "large", list);
const file = join(folder, "list.json");
writeFileSync(file, list);
const headers = await tokenHeaders("large", { STORE_URL: storeUrl });
const gateway = await startGateway({ STORE_URL: storeUrl, CACHE_MAX_MB: "1" });
const bare = await startServer("scripts/bench/stream-server.js", { FILE: file });
try {
  reportBench("streaming", await measure(gateway, bare));
} finally {
  await Promise.all([gateway.stop(), bare.stop()]);
}

async function measure(gateway: BenchServer, bare: BenchServer): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of [4, 100]) {
    const rates = { gateway: [] as number[], bare: [] as number[] };
    const peaks = { gateway: 0, bare: 0 };
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const [name, server, path] of [
        ["gateway", gateway, "/v1/programs"],
        ["bare", bare, "/"],
      ] as const) {
        const sampling = setInterval(() => {
          peaks[name] = Math.max(peaks[name], memoryMb(server.pid));
        }, 50);
        const result = await load({ url: server.url + path, headers, connections, seconds });
        clearInterval(sampling);
        if (result.errors > 0) throw new Error(`${name}: ${result.errors} answers were wrong`);
        rates[name].push(result.bytesPerSecond / 1e6);
      }
    }
    const [rate, yardstick] = [median(rates.gateway), median(rates.bare)];
    rows.push({
      case: `${connections} readers`,
      "gateway MB/s": Math.round(rate),
      "bare MB/s": Math.round(yardstick),
      ratio: Number((rate / yardstick).toFixed(2)),
      "peak MB": Math.round(peaks.gateway),
      "bare peak MB": Math.round(peaks.bare),
    });
  }
  return rows;
}
