// `npm run bench:log`: an index over the gateway's log. Reads 1 GB of lines as the gateway writes them, then asks it.
// `BENCH_LOG_MB` chooses another size.

import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, statSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { RequestFilter } from "../../cli/operate/log-index/request-filter.ts";
import { followLogs, type RequestLog } from "../../cli/operate/log-index/request-log.ts";
import { createAccessLog } from "../../gateway/access-log.ts";
import type { Exchange } from "../../gateway/exchange.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Row, reportBench } from "./report.ts";

const megabytes = Number(process.env.BENCH_LOG_MB ?? 1000);
const folder = temporaryFolder("bench");
const logFile = join(folder, "gateway.log");
const tokens = Array.from({ length: 60 }, (_, at) => ({
  tokenId: `tok_${digest(`token ${at}`).slice(0, 12)}`,
  tenantId: `tenant-${at % 20}`,
  limit: 600,
}));
const dayMs = 86_400_000;
const beginMs = Date.parse("2026-10-01T00:00:00Z");

reportBench("log-index", await measured(await writeLog()));

/** Thirty days of 60 partners, mostly lists and details, one request in a hundred refused. */
async function writeLog(): Promise<number> {
  const stream = createWriteStream(logFile);
  const total = megabytes * 1_000_000;
  let written = 0;
  let lines = 0;
  let pending: string[] = [];
  const write = (line: string): void => {
    written += line.length;
    lines += 1;
    pending.push(line);
  };
  const log = createAccessLog({ write }, "partner-programs-gateway", 60);
  // The gateway's access log reads the clock, so the clock is replaced.
  const clock = Date.now;
  Date.now = () => beginMs + Math.floor((written / total) * 30 * dayMs);
  try {
    while (written < total) {
      for (let at = 0; at < 5000; at += 1) writeRequest(log, lines);
      const isRoom = stream.write(pending.join(""));
      pending = [];
      if (!isRoom) await once(stream, "drain");
    }
  } finally {
    Date.now = clock;
  }
  stream.end();
  await finished(stream);
  return lines;
}

function writeRequest(log: ReturnType<typeof createAccessLog>, at: number): void {
  const token = tokens[mixed(at, 1) % tokens.length];
  const program = `ATLAS-2027-${String(mixed(at, 2) % 5000).padStart(4, "0")}`;
  const kind = mixed(at, 3) % 100;
  const route = kind < 30 ? "list" : kind < 95 ? "detail" : "legacy";
  const status =
    kind === 50 ? 404 : mixed(at, 4) % 1000 === 7 ? 429 : mixed(at, 5) % 50_000 === 11 ? 500 : 200;
  const snapshotId = `20261001T000000Z-${digest(String(at % 700)).slice(0, 8)}`;
  const exchange = {
    requestId: randomUUID(),
    token,
    route,
    ...(route === "detail" ? { programId: program } : {}),
    req: { method: "GET" },
    connection: { id: digest(`connection ${at % 100}`).slice(0, 12), isProxied: false },
    nth: 1 + (at % 1000),
    acceptsGzip: true,
    encoding: "gzip",
    startedAtMs: 0,
    snapshot: { manifest: { snapshotId } },
    ...(status === 200
      ? { objectKey: `tenants/${token?.tenantId}/snapshots/${snapshotId}/programs/${program}.json` }
      : { cause: { code: status === 404 ? "unknown_program" : "over_limit", text: "The reason in words." } }),
  };
  // The parts of an exchange from which the access log makes a line.
  log.exchange(
    exchange as unknown as Exchange,
    { status, bytes: 4000 + (at % 900), isCut: false },
    (at % 997) / 31,
  );
}

async function measured(lines: number): Promise<readonly Row[]> {
  const { signal } = new AbortController();
  const beforeMb = rssMb();
  let peakMb = beforeMb;
  const begunAt = performance.now();
  const log = followLogs([{ name: logFile, stdin: process.stdin }], signal);
  const lastHour = { fromMs: beginMs + 30 * dayMs - 3_600_000 };
  let newestMs: number | undefined;
  while (log.state().progress < 1) {
    await delay(20);
    peakMb = Math.max(peakMb, rssMb());
    if (newestMs !== undefined) continue;
    const { total } = await log.index.find({ filter: lastHour, limit: 1 }, signal);
    if (total > 0) newestMs = performance.now() - begunAt;
  }
  const readSeconds = (performance.now() - begunAt) / 1000;
  const { requests, covers } = log.state();
  if (requests !== lines || covers === null) throw new Error(`${requests} of ${lines} requests were read`);
  const size = statSync(logFile).size;
  const reading = {
    case: `read ${Math.round(size / 1e6)} MB, ${requests} requests`,
    ms: Math.round(readSeconds * 1000),
    found: requests,
    note: `${Math.round(size / 1e6 / readSeconds)} MB/s; memory ${beforeMb} MB before, ${peakMb} MB at most; ${Math.round(log.index.bytes / 1e6)} MB of temporary files`,
  };
  const [token] = tokens;
  const day = beginMs + 12 * dayMs;
  const filters: readonly (readonly [string, RequestFilter])[] = [
    ["all, newest first", {}],
    ["one partner's key", { tokenId: token?.tokenId }],
    ["a tenant's 404s", { tenantId: "tenant-3", status: { from: 404, to: 404 } }],
    ["a program's", { programId: "ATLAS-2027-0042" }],
    ["server errors", { status: { from: 500, to: 599 } }],
    ["legacy calls", { route: "legacy" }],
    ["an hour of a day", { fromMs: day, toMs: day + 3_600_000 }],
    ["a request id that is not there", { requestId: randomUUID() }],
  ];
  const newest = {
    case: "a request of the last hour, from the start",
    ms: Math.round(newestMs ?? Number.NaN),
    found: 1,
    note: "",
  };
  const rows: Row[] = [reading, newest];
  for (const [what, filter] of filters) rows.push(await asked(log, what, filter, signal));
  await log.close();
  return rows;
}

async function asked(
  log: RequestLog,
  what: string,
  filter: RequestFilter,
  signal: AbortSignal,
): Promise<Row> {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < 5; round += 1) {
    const begunAt = performance.now();
    found = (await log.index.find({ filter, limit: 50 }, signal)).total;
    times.push(performance.now() - begunAt);
  }
  return {
    case: what,
    ms: Math.round(Math.max(...times)),
    found,
    note: `slowest of ${times.length}; ${rssMb()} MB`,
  };
}

/** Random numbers that are the same in each run. */
function mixed(at: number, salt: number): number {
  const once = Math.imul((at + salt * 7919) ^ (at >>> 15), 0x2c1b3c6d);
  return (Math.imul(once ^ (once >>> 12), 0x297a2d39) ^ (once >>> 15)) >>> 0;
}

function rssMb(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
