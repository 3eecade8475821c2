// `npm run bench:soak [-- --seconds S] [--clients N]`: two gateways under mixed load, with publications,
// token rotations, store faults, slow readers and clients that leave. Ends with 1 when an answer was wrong or
// something grew.
import { readdirSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { memoryMb } from "./process-figures.ts";
import { benchOptions, median, reportBench } from "./report.ts";
import { seedTenants } from "./seeded.ts";
import { type BenchServer, detailPaths, startGateway } from "./servers.ts";
import { pick, readSlowly, runClient, type SoakTally } from "./soak-clients.ts";
import { issueToken, publishChange, publishedBodies, rotateToken, type SoakToken } from "./soak-world.ts";

const values = benchOptions({ seconds: "600", clients: "24" });
const seconds = Number(values.seconds);
const warmUpMs = Math.min(60, seconds / 4) * 1000;
/** Answers may be affected for as long after a fault as gateways take to ask the store again. */
const recoveryMs = 3000;

const directory = temporaryFolder("soak");
const store = join(directory, "store");
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  DATA_DIR: directory,
  STORE_URL: `file:${store}`,
  LIVE_COPY: "off",
  LOG_LEVEL: "error",
};
const tally: SoakTally = {
  statuses: {},
  bodies: new Set(),
  cuts: 0,
  wrong: [],
};
const samples: { readonly atMs: number; readonly rssMb: number; readonly openFiles: number }[] = [];
let startedAtMs = 0;
let disturbedUntilMs = 0;
let faults = 0;
let busy: Promise<unknown> = Promise.resolve();
const isOver = (): boolean => performance.now() - startedAtMs > seconds * 1000;
const isDisturbed = (): boolean => performance.now() < disturbedUntilMs;

await withEmbeddedPostgres(directory, soak);
process.exitCode = report();

/**
 * Three tenants, whose lists have about 20 kB, 300 kB and 4 MB; the last is far above what a small cache
 * takes.
 */
async function soak(databaseUrl: string): Promise<void> {
  env.DATABASE_URL = databaseUrl;
  const tenants = (await seedTenants(env, databaseUrl, [30, 400, 6000])).map(({ tenantId }) => tenantId);
  const tokens: SoakToken[] = [];
  for (const tenantId of tenants) {
    await publishChange(tenantId, databaseUrl, env);
    tokens.push(await issueToken(["create", "--tenant", tenantId], env));
  }
  const redis = process.env.REDIS_URL === undefined ? {} : { REDIS_URL: process.env.REDIS_URL };
  const settings = { STORE_URL: `file:${store}`, CACHE_MAX_MB: "16", SEND_STALL_SECONDS: "5", ...redis };
  const gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
  const paths: Record<string, readonly string[]> = {};
  for (const { tenantId, plaintext } of tokens) {
    const headers = { authorization: `Bearer ${plaintext}` };
    paths[tenantId] = (await detailPaths(gateways[0]?.url ?? "", headers)).slice(0, 20);
  }
  startedAtMs = performance.now();
  const client = { urls: gateways.map(({ url }) => url), tokens, paths, tally, isDisturbed, isOver };
  try {
    await Promise.all([
      ...Array.from({ length: Number(values.clients) }, () => runClient(client)),
      ...Array.from({ length: 4 }, () => readSlowly(client)),
      repeatedly(1000, () => publishChange(pick(tenants), databaseUrl, env)),
      repeatedly(2000, () => rotateToken(tokens, env)),
      repeatedly(15_000, () => disturb(pick(storeFaults(tenants)))),
      repeatedly(1000, async () => sample(gateways)),
    ]);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
}

/**
 * Publications and rotations wait while the store is broken: a fault mends what it took away, and nothing
 * else.
 */
async function repeatedly(everyMs: number, action: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    await sleep(everyMs);
    if (isOver()) return;
    busy = busy.then(action);
    await busy;
  }
}

/** What disks, operators and network file systems take away from a store, or damage. */
function storeFaults([first = "", second = ""]: readonly string[]): readonly StoreFault[] {
  return [
    ["tenants"],
    [`tenants/${first}`],
    [`tenants/${second}/current.json`],
    [`tenants/${first}/current.json`, "cut"],
    ["auth/tokens.json"],
    ["auth/tokens.json", "replaced"],
  ];
}

type StoreFault = readonly [path: string, damage?: "cut" | "replaced"];

/** Takes one of the store's files or folders away for two seconds, or puts other bytes in its place. */
async function disturb([name, bytes]: StoreFault): Promise<void> {
  faults += 1;
  disturbedUntilMs = Number.POSITIVE_INFINITY;
  const path = join(store, name);
  const whole = bytes === undefined ? undefined : await readFile(path);
  await rename(path, `${path}.away`);
  if (whole !== undefined) await writeFile(path, bytes === "cut" ? whole.subarray(0, 40) : "{}");
  await sleep(2000);
  await rename(`${path}.away`, path);
  disturbedUntilMs = performance.now() + recoveryMs;
}

function sample(gateways: readonly BenchServer[]): void {
  const atMs = performance.now() - startedAtMs;
  for (const { pid } of gateways)
    samples.push({ atMs, rssMb: memoryMb(pid), openFiles: readdirSync(`/proc/${pid}/fd`).length });
}

function report(): number {
  const warm = samples.filter(({ atMs }) => atMs > warmUpMs);
  const quarter = Math.ceil(warm.length / 4);
  const growth = (of: "rssMb" | "openFiles") => ({
    first: Math.round(median(warm.slice(0, quarter).map((one) => one[of]))),
    last: Math.round(median(warm.slice(-quarter).map((one) => one[of]))),
  });
  const [memory, files] = [growth("rssMb"), growth("openFiles")];
  const right = publishedBodies(store);
  for (const body of tally.bodies) {
    const [snapshot, path, sha256] = body.split(" ");
    if (right.get(`${snapshot} ${path}`) !== sha256)
      tally.wrong.push(`${path}: other bytes than those of ${snapshot}`);
  }
  const statuses = Object.entries(tally.statuses);
  const answers = statuses.reduce((sum, [, count]) => sum + count, 0);
  const figures = {
    answers,
    ...Object.fromEntries(statuses.map(([status, count]) => [`answers ${status}`, count])),
    "wrong answers": tally.wrong.length,
    "answers cut during a fault": tally.cuts,
    "store faults": faults,
    "memory after warm-up, at the end, MB": `${memory.first}, ${memory.last}`,
    "open files after warm-up, at the end": `${files.first}, ${files.last}`,
  };
  reportBench(
    "soak",
    Object.entries(figures).map(([title, value]) => ({ case: title, value })),
  );
  for (const text of tally.wrong.slice(0, 20)) console.error(`wrong: ${text}`);
  const hasGrown = memory.last > memory.first * 1.15 + 10 || files.last > files.first * 1.2 + 10;
  if (hasGrown) console.error("memory or open files grew");
  return tally.wrong.length === 0 && !hasGrown && answers > 0 ? 0 : 1;
}
