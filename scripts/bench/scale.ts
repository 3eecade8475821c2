// `npm run bench:scale [-- --tenants 10,100,1000,10000 --programs 50]`: what grows with the number of
// tenants. Processor time of builder and database, requests to the store and their price in S3, memory of
// builder and gateway, `snapshot status`, and a watch that has nothing to do. Nothing may grow faster than
// the tenants.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type MeasuredRun, measuredCli } from "./measured-run.ts";
import { cpuMicros, familyCpuMicros, memoryMb } from "./process-figures.ts";
import { changedPercent, queried } from "./queried.ts";
import { benchOptions, median, type Row, reportBench } from "./report.ts";
import { detailPaths, startGateway, tokenHeaders } from "./servers.ts";

const values = benchOptions({ tenants: "10,100,1000", programs: "50", rounds: "3" });
const folder = temporaryFolder("bench");
const silent = { DATABASE_URL: undefined, LIVE_COPY: "off", LOG_LEVEL: "silent" };
const env = { ...process.env, ...silent, DATA_DIR: folder };

type Environment = NodeJS.ProcessEnv & { readonly STORE_URL: string };

/** Dollars for 1,000 requests: S3 Standard, us-east-1, as in docs/cost.md. */
const prices: Readonly<Record<string, number>> = { get: 0.0004, put: 0.005, list: 0.005, copy: 0.005 };
const buildsPerMonth = 30 * 24 * 4;
const watchSeconds = 20;

await withEmbeddedPostgres(folder, async (databaseUrl) => {
  const postmaster = await postmasterOf(databaseUrl);
  await measuredCli(["source", "init"], env);
  const rows: Row[] = [];
  for (const tenants of values.tenants.split(",").map(Number))
    rows.push(await measure(databaseUrl, postmaster, tenants));
  reportBench("scale", rows);
});

async function measure(databaseUrl: string, postmaster: number, tenants: number): Promise<Row> {
  const own: Environment = {
    ...env,
    DATABASE_URL: databaseUrl,
    STORE_URL: `file:${folder}/store-${tenants}`,
  };
  await measuredCli(["source", "seed", "--tenants", `${tenants}`, "--programs", values.programs], env);
  await queried(databaseUrl, "VACUUM ANALYZE");
  const first = await build(own, postmaster);
  const unchanged: Build[] = [];
  const changed: Build[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    unchanged.push(await build(own, postmaster));
    await queried(databaseUrl, changedPercent(round));
    changed.push(await build(own, postmaster));
  }
  const status = await measuredCli(["snapshot", "status", "--json"], own);
  return {
    case: `${tenants} tenants`,
    "first: Node s": rounded(first.cpuSeconds),
    "first: PostgreSQL s": rounded(first.server),
    "unchanged: Node s": rounded(median(unchanged.map(({ cpuSeconds }) => cpuSeconds))),
    "unchanged: PostgreSQL s": rounded(median(unchanged.map(({ server }) => server))),
    "1% changed: Node s": rounded(median(changed.map(({ cpuSeconds }) => cpuSeconds))),
    "1% changed: PostgreSQL s": rounded(median(changed.map(({ server }) => server))),
    "unchanged: requests a tenant": rounded(requestsOf(unchanged.at(-1)) / tenants),
    "unchanged, $ a month": rounded(buildsPerMonth * dollarsOf(unchanged.at(-1))),
    "builder peak MB": Math.round(Math.max(...[first, ...unchanged, ...changed].map(({ peakMb }) => peakMb))),
    "gateway MB": Math.round(await gatewayMb(own)),
    "status s": rounded(status.cpuSeconds),
    "idle watch, s a minute": rounded(await idleWatch(own)),
  };
}

/**
 * The process id of the PostgreSQL server behind the connection string. The server must run on this machine.
 */
async function postmasterOf(databaseUrl: string): Promise<number> {
  const [row] = await queried(databaseUrl, "SELECT pg_read_file('postmaster.pid', 0, 20) AS lock");
  return Number(String(row?.lock).split("\n")[0]);
}

interface Build extends MeasuredRun {
  /** Processor time of the database server, in seconds. */
  readonly server: number;
  readonly report: RunReport;
}

async function build(own: Environment, postmaster: number): Promise<Build> {
  const before = familyCpuMicros(postmaster);
  const result = await measuredCli(["snapshot", "build", "--json"], own);
  const server = (familyCpuMicros(postmaster) - before) / 1e6;
  return { ...result, server, report: JSON.parse(result.stdout) as RunReport };
}

function requestsOf(build: Build | undefined): number {
  return Object.values(build?.report.storeRequests ?? {}).reduce((sum, count) => sum + count, 0);
}

function dollarsOf(build: Build | undefined): number {
  const counts = Object.entries(build?.report.storeRequests ?? {});
  return counts.reduce((sum, [kind, count]) => sum + ((prices[kind] ?? 0) * count) / 1000, 0);
}

/** The memory of a gateway that has answered for one tenant. */
async function gatewayMb(own: Environment): Promise<number> {
  const tenants = JSON.parse((await measuredCli(["tenant", "list", "--json"], own)).stdout) as TenantList;
  const tenant = tenants.tenants[0]?.tenantId ?? "";
  const headers = await tokenHeaders(tenant, own);
  const gateway = await startGateway({ STORE_URL: own.STORE_URL });
  try {
    await detailPaths(gateway.url, headers);
    return memoryMb(gateway.pid);
  } finally {
    await gateway.stop();
  }
}

interface TenantList {
  readonly tenants: readonly { readonly tenantId: string }[];
}

/**
 * Processor time of a watch in seconds a minute, after its first round, while nothing changes and nothing is
 * told.
 */
async function idleWatch(own: Environment): Promise<number> {
  const cli = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
  const watch = spawn(process.execPath, [cli, "snapshot", "watch", "--interval", "86400"], {
    env: own,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(watch, "close");
  try {
    await once(createInterface({ input: watch.stdout }), "line");
    await delay(2000);
    const before = cpuMicros(watch.pid);
    await delay(watchSeconds * 1000);
    return ((cpuMicros(watch.pid) - before) / 1e6 / watchSeconds) * 60;
  } finally {
    watch.kill("SIGTERM");
    await ended;
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
