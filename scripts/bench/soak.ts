// `npm run bench:soak [-- --seconds S] [--clients N]`: two gateways under mixed load, with publications, token rotations,
// store faults, slow readers and clients that leave. Ends with 1 when an answer was wrong or something grew.
import { readdirSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { memoryMb } from "./process-figures.ts";
import { benchOptions, median, reportBench } from "./report.ts";
import { startGateway } from "./servers.ts";
import { pick, readSlowly, runClient, type SoakTally } from "./soak-clients.ts";
import { createWorld } from "./soak-world.ts";

const values = benchOptions({ seconds: "600", clients: "24" });
const seconds = Number(values.seconds);
const warmUpMs = Math.min(60, seconds / 4) * 1000;
/** Answers may be affected for as long after a fault as gateways take to ask the store again. */
const recoveryMs = 3000;

/** What disks, operators and network file systems take away, or damage. */
const storeFaults: readonly [StoreFault, ...StoreFault[]] = [
  ["tenants"],
  ["tenants/tenant-0"],
  ["tenants/tenant-1/current.json"],
  ["tenants/tenant-0/current.json", "cut"],
  ["auth/tokens.json"],
  ["auth/tokens.json", "replaced"],
];
type StoreFault = readonly [path: string, damage?: "cut" | "replaced"];

const directory = temporaryFolder("soak");
const world = await createWorld(createFileStore({ directory }), [10_000, 300_000, 5_000_000]);
const redis = process.env.REDIS_URL === undefined ? {} : { REDIS_URL: process.env.REDIS_URL };
const settings = { STORE_URL: `file:${directory}`, CACHE_MAX_MB: "16", SEND_STALL_SECONDS: "5", ...redis };
const gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
const tally: SoakTally = { statuses: {}, left: 0, cuts: 0, wrong: [], worstRevocationMs: 0 };
const startedAtMs = performance.now();
let disturbedUntilMs = 0;
let faults = 0;
let busy: Promise<unknown> = Promise.resolve();
const isOver = (): boolean => performance.now() - startedAtMs > seconds * 1000;
const isDisturbed = (): boolean => performance.now() < disturbedUntilMs;
const client = { urls: gateways.map(({ url }) => url), world, tally, isDisturbed, isOver };
const samples: { readonly atMs: number; readonly rssMb: number; readonly openFiles: number }[] = [];

try {
  await Promise.all([
    ...Array.from({ length: Number(values.clients) }, () => runClient(client)),
    ...Array.from({ length: 4 }, () => readSlowly(client)),
    repeatedly(1000, async () => world.publish(pick(world.tenants))),
    repeatedly(2000, async () => world.rotate(pick(world.tenants))),
    repeatedly(15_000, disturb),
    repeatedly(1000, async () => sample()),
  ]);
} finally {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
}
process.exitCode = report();

/** Publications and rotations wait while the store is broken: a fault mends what it took away, and nothing else. */
async function repeatedly(everyMs: number, action: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    await sleep(everyMs);
    if (isOver()) return;
    busy = busy.then(action);
    await busy;
  }
}

/** Takes one of the store's files or folders away for two seconds, or puts other bytes in its place. */
async function disturb(): Promise<void> {
  const [name, bytes] = storeFaults[faults % storeFaults.length] ?? storeFaults[0];
  faults += 1;
  disturbedUntilMs = Number.POSITIVE_INFINITY;
  const path = join(directory, name);
  const whole = bytes === undefined ? undefined : await readFile(path);
  await rename(path, `${path}.away`);
  if (whole !== undefined) await writeFile(path, bytes === "cut" ? whole.subarray(0, 40) : "{}");
  await sleep(2000);
  await rename(`${path}.away`, path);
  disturbedUntilMs = performance.now() + recoveryMs;
}

function sample(): void {
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
  const statuses = Object.entries(tally.statuses);
  const answers = statuses.reduce((sum, [, count]) => sum + count, 0);
  const figures = {
    answers,
    ...Object.fromEntries(statuses.map(([status, count]) => [`answers ${status}`, count])),
    "wrong answers": tally.wrong.length,
    "clients that left": tally.left,
    "answers cut during a fault": tally.cuts,
    "store faults": faults,
    "worst revocation, ms": Math.round(tally.worstRevocationMs),
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
