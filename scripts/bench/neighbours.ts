// `npm run bench:neighbours [-- --seconds S] [--only TEXT]`: what a partner of one tenant sees while a
// partner of another asks for what is expensive, or that tenant's part of the store hangs. Ends with 1 when a
// neighbour waited longer than promised.

import { Worker } from "node:worker_threads";
import { parseTenantId } from "../../core/ground/ids.ts";
import { currentKey } from "../../core/ground/object-key.ts";
import { freePort } from "../../test/support/free-port.ts";
import type { Burst, BurstResult } from "./neighbours-burst.ts";
import { changingManifest, changingRegistry } from "./neighbours-changes.ts";
import { type Seen, seenFor, type Victim } from "./neighbours-victims.ts";
import { folderWorld, idsOf, type S3World, s3World, type World } from "./neighbours-world.ts";
import { memoryMb } from "./process-figures.ts";
import { benchOptions, type Row, reportBench } from "./report.ts";
import { startGateway } from "./servers.ts";

const values = benchOptions({ seconds: "12", only: "" });
const attackMs = Number(values.seconds) * 1000;
const refreshMs = 1000;
const limits = { warmMs: 500, coldMs: 1000, stalenessMs: 2 * refreshMs };
/**
 * What `docs/operators.md` states of a gateway with the default cache: its own, the cache, answers under way,
 * and streams.
 */
const documentedMb = 90 + 256 + 64 + 50;

type Attack = { readonly title: string } & (
  | { readonly store: "folder"; readonly prepare: (world: World) => Promise<Begin> }
  | { readonly store: "S3"; readonly prepare: (world: S3World) => Promise<Begin> }
);

/** Starts the attack on a gateway. The result ends it, and says what the attacker got. */
type Begin = (url: string) => () => Promise<string>;

const gzip = { "accept-encoding": "gzip" };
const details = (count: number): readonly string[] => idsOf(count).map((id) => `/v1/programs/${id}`);
const lists = (count: number): readonly string[] => idsOf(count).map(() => "/v1/programs");

const attacks: readonly Attack[] = [
  {
    title: "S3: 600 details that hang",
    store: "S3",
    async prepare(world) {
      const { snapshotId } = await world.publish({ programs: 600 });
      world.hang(`tenants/hog/snapshots/${snapshotId}/v1/programs/`);
      return burst(world, details(600), {});
    },
  },
  {
    title: "S3: 300 slow readers of a list of 20 MB",
    store: "S3",
    async prepare(world) {
      await world.publish({ programs: 2000, listBytes: 20e6 });
      return burst(world, lists(300), {}, true);
    },
  },
  {
    title: "folder: 600 gzip details of 1 MB",
    store: "folder",
    async prepare(world) {
      await world.publish({ programs: 600, detailBytes: 1e6 });
      return burst(world, details(600), gzip);
    },
  },
  {
    title: "folder: 300 gzip details of 3 MB",
    store: "folder",
    async prepare(world) {
      await world.publish({ programs: 300, detailBytes: 3e6 });
      return burst(world, details(300), gzip);
    },
  },
  {
    title: "folder: 600 cold details of 1 MB",
    store: "folder",
    async prepare(world) {
      await world.publish({ programs: 600, detailBytes: 1e6 });
      return burst(world, details(600), {});
    },
  },
  {
    title: "folder: 600 slow readers of details of 1 MB",
    store: "folder",
    async prepare(world) {
      await world.publish({ programs: 600, detailBytes: 1e6 });
      return burst(world, details(600), {}, true);
    },
  },
  {
    title: "folder: 100 slow readers of a list of 100 MB",
    store: "folder",
    async prepare(world) {
      await world.publish({ programs: 2000, listBytes: 100e6 });
      return burst(world, lists(100), {}, true);
    },
  },
  { title: "folder: a manifest of 18 MB each second", store: "folder", prepare: changingManifest },
  { title: "folder: 10,000 tokens, changed each half second", store: "folder", prepare: changingRegistry },
];

function burst({ hog }: World, paths: readonly string[], headers: Burst["headers"], isSlow = false): Begin {
  return (url) => {
    const workerData: Burst = { url, token: hog.plaintext, paths, headers, isSlow };
    const worker = new Worker(new URL("./neighbours-burst.js", import.meta.url), { workerData });
    return async () => {
      const results = new Promise<BurstResult>((resolve) => worker.once("message", resolve));
      worker.postMessage("end");
      return Object.entries(await results)
        .map(([status, count]) => `${count} x ${status}`)
        .join(", ");
    };
  };
}

async function run(attack: Attack): Promise<Row> {
  if (attack.store === "folder") return await runIn(attack.title, attack.prepare, await folderWorld());
  return await runIn(attack.title, attack.prepare, await s3World());
}

async function runIn<Kind extends World>(
  title: string,
  prepare: (world: Kind) => Promise<Begin>,
  world: Kind,
): Promise<Row> {
  const begin = await prepare(world);
  const port = await freePort();
  const admin = `http://127.0.0.1:${port}`;
  const gateway = await startGateway({
    ...world.env,
    ADMIN_PORT: String(port),
    RATE_LIMIT_REQUESTS: "600",
    SNAPSHOT_REFRESH_MS: String(refreshMs),
    LOG_LEVEL: "error",
  });
  const [warm = "", ...others] = world.calmIds.map((id) => `/v1/programs/${id}`);
  const victim: Victim = {
    url: gateway.url,
    admin,
    token: world.calm.plaintext,
    tenant: "calm",
    warm,
    cold: others[Symbol.iterator](),
    readStore: () => world.store.get(currentKey(parseTenantId("calm"))),
  };
  try {
    await seenFor(1000, victim);
    const before = await seenFor(2000, victim);
    const end = begin(gateway.url);
    const during = await seenFor(attackMs, victim);
    const attacker = await end();
    return row(title, before, during, memoryMb(gateway.pid, "VmHWM"), attacker);
  } finally {
    await gateway.stop();
    await world.close();
  }
}

function row(title: string, before: Seen, during: Seen, memory: number, attacker: string): Row {
  return {
    case: title,
    "warm before": times(before.warmMs),
    "warm during": times(during.warmMs),
    "cold before": times(before.coldMs),
    "cold during": times(during.coldMs),
    "store during": times(during.storeMs),
    "cold answers": during.coldMs.length,
    "not 200": during.foreign,
    "staleness ms": Math.round(during.stalenessMs),
    "memory MB": Math.round(memory),
    attacker,
    holds: String(
      during.foreign === 0 &&
        Math.max(...during.warmMs) <= limits.warmMs &&
        during.coldMs.length > 0 &&
        Math.max(...during.coldMs) <= limits.coldMs &&
        during.stalenessMs <= limits.stalenessMs &&
        memory <= documentedMb,
    ),
  };
}

/** p50, p99 and the largest, in ms. */
function times(ms: readonly number[]): string {
  const sorted = [...ms].sort((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
  return `${at(0.5)}, ${at(0.99)}, ${at(1)}`;
}

const rows: Row[] = [];
for (const attack of attacks.filter(({ title }) => title.includes(values.only))) {
  rows.push(await run(attack));
  console.log(JSON.stringify(rows.at(-1)));
}
reportBench("neighbours", rows);
for (const each of rows.filter(({ holds }) => holds === "false")) console.error(`Broken: ${each.case}`);
process.exitCode = rows.every(({ holds }) => holds === "true") ? 0 : 1;
