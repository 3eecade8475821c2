// `npm run bench:soak [-- --seconds S] [--clients N]`: two gateways under mixed load, with publications, token rotations,
// store faults, slow readers and clients that leave. Ends with 1 when an answer was wrong or something grew.
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { memoryMb } from "./process-figures.ts";
import { benchOptions, median, reportBench } from "./report.ts";
import { startGateway } from "./servers.ts";
import { createTally, pick, runClient } from "./soak-clients.ts";
import { storeFaults } from "./soak-faults.ts";
import { createWorld, type SoakWorld } from "./soak-world.ts";

const values = benchOptions({ seconds: "600", clients: "24" });
const seconds = Number(values.seconds);
const warmUpMs = Math.min(60, seconds / 4) * 1000;
/** Answers may be affected for as long after a fault as gateways take to ask the store again. */
const recoveryMs = 3000;

const directory = temporaryFolder("soak");
const store = createFileStore({ directory });
const world = await createWorld(store, [10_000, 300_000, 5_000_000]);
const settings = {
  STORE_URL: `file:${directory}`,
  CACHE_MAX_MB: "16",
  SEND_STALL_SECONDS: "5",
  ...(process.env.REDIS_URL === undefined ? {} : { REDIS_URL: process.env.REDIS_URL }),
};
const gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
const tally = createTally();
const startedAtMs = performance.now();
let disturbedUntilMs = 0;
let faults = 0;
let busy: Promise<unknown> = Promise.resolve();
const isOver = (): boolean => performance.now() - startedAtMs > seconds * 1000;
const isDisturbed = (): boolean => performance.now() < disturbedUntilMs;
const urls = gateways.map(({ url }) => url);
const samples: Sample[] = [];

interface Sample {
  readonly atMs: number;
  readonly rssMb: number;
  readonly openFiles: number;
}

try {
  await Promise.all([
    ...Array.from({ length: Number(values.clients) }, () =>
      runClient({ urls, world, tally, isDisturbed, isOver }),
    ),
    ...Array.from({ length: 4 }, () => readSlowly(world)),
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
async function exclusively(action: () => Promise<unknown>): Promise<void> {
  busy = busy.then(action);
  await busy;
}

async function repeatedly(everyMs: number, action: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    await sleep(everyMs);
    if (!isOver()) await exclusively(action);
  }
}

async function disturb(): Promise<void> {
  const fault = storeFaults[faults % storeFaults.length];
  faults += 1;
  if (fault === undefined) return;
  disturbedUntilMs = Number.POSITIVE_INFINITY;
  const mend = await fault.begin(directory);
  await sleep(2000);
  await mend();
  disturbedUntilMs = performance.now() + recoveryMs;
}

/** Takes a large list in sips, and is cut now and then. */
async function readSlowly({ tokens }: SoakWorld): Promise<void> {
  while (!isOver()) {
    const { hostname, port } = new URL(pick(urls));
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => {});
    const token = pick(tokens).plaintext;
    socket.write(`GET /v1/programs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    for (let sip = 0; sip < 50 && !socket.destroyed && !isOver(); sip += 1) {
      await sleep(100);
      socket.read(16 * 1024);
    }
    socket.destroy();
  }
}

function sample(): void {
  for (const { pid } of gateways) {
    samples.push({
      atMs: performance.now() - startedAtMs,
      rssMb: memoryMb(pid),
      openFiles: readdirSync(`/proc/${pid}/fd`).length,
    });
  }
}

function report(): number {
  const warm = samples.filter(({ atMs }) => atMs > warmUpMs);
  const quarter = Math.ceil(warm.length / 4);
  const growth = (of: (one: Sample) => number): { first: number; last: number } => ({
    first: Math.round(median(warm.slice(0, quarter).map(of))),
    last: Math.round(median(warm.slice(-quarter).map(of))),
  });
  const memory = growth(({ rssMb }) => rssMb);
  const files = growth(({ openFiles }) => openFiles);
  const answers = [...tally.statuses.values()].reduce((sum, count) => sum + count, 0);
  reportBench("soak", [
    { case: "answers", value: answers },
    ...[...tally.statuses].sort().map(([status, count]) => ({ case: `answers ${status}`, value: count })),
    { case: "wrong answers", value: tally.wrongs },
    { case: "clients that left", value: tally.aborts },
    { case: "answers cut during a fault", value: tally.cuts },
    { case: "store faults", value: faults },
    { case: "worst revocation, ms", value: Math.round(tally.worstRevocationMs) },
    { case: "worst new token, ms", value: Math.round(tally.worstIssueMs) },
    { case: "memory after warm-up, MB", value: memory.first },
    { case: "memory at the end, MB", value: memory.last },
    { case: "open files after warm-up", value: files.first },
    { case: "open files at the end", value: files.last },
  ]);
  for (const text of tally.wrong) console.error(`wrong: ${text}`);
  const hasGrown = memory.last > memory.first * 1.15 + 10 || files.last > files.first * 1.2 + 10;
  if (hasGrown) console.error("memory or open files grew");
  return tally.wrongs === 0 && !hasGrown && answers > 0 ? 0 : 1;
}
