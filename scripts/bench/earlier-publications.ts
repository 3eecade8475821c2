// `npm run bench:earlier [-- --rounds N --folder DIR]`: what a publication of one changed program costs a `file:` store in processor
// time after 10, 10,000 and 100,000 earlier ones, relative to a new store. Earlier ones are replacements of `current.json` alone:
// their snapshots are pruned in a real store. Takes a few minutes; a `--folder` in memory (/dev/shm) saves most of them.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { parseTenantId } from "../../core/ids.ts";
import { bytesBody } from "../../core/object-body.ts";
import { currentKey } from "../../core/object-key.ts";
import type { ETag, ObjectStore } from "../../core/object-store.ts";
import { benchOptions } from "./bench-options.ts";
import { median, reportBench } from "./report.ts";
import { prepareTenant } from "./synthetic-tenant.ts";

const values = benchOptions({ rounds: "40", folder: tmpdir() });
const tenant = parseTenantId("often");
const key = currentKey(tenant);
const perRound = 20;
const list = Buffer.from('{"data":[],"meta":{"count":0}}');

interface Side {
  readonly earlier: number;
  readonly directory: string;
  readonly store: ObjectStore;
  etag: ETag | undefined;
  readonly costs: number[];
}

const sides: Side[] = [];
try {
  for (const earlier of [0, 10, 10_000, 100_000]) sides.push(await openSide(earlier));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) side.costs.push(await roundCost(side));
  }
  const fresh = sides[0]?.costs ?? [];
  const rows = sides.map(async ({ earlier, costs, directory }) => ({
    case: `after ${earlier.toLocaleString("en")}`,
    "ms of processor": Number(median(costs).toFixed(2)),
    "times a new store's": Number(median(costs.map((cost, at) => cost / (fresh[at] ?? cost))).toFixed(2)),
    "hidden files": await hiddenFiles(directory),
  }));
  reportBench("earlier-publications", await Promise.all(rows));
} finally {
  for (const { store, directory } of sides) {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function openSide(earlier: number): Promise<Side> {
  const directory = await mkdtemp(join(values.folder, "bench-earlier-"));
  const side: Side = {
    earlier,
    directory,
    store: createFileStore({ directory }),
    etag: undefined,
    costs: [],
  };
  for (let at = 0; at < earlier; at += 1) {
    await replace(side, (condition) =>
      side.store.put(key, bytesBody(Buffer.from(randomBytes(150).toString("hex"))), { condition }),
    );
  }
  return side;
}

/** Milliseconds of processor time that one publication takes. */
async function roundCost(side: Side): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < perRound; at += 1) {
    const details = new Map([["program-1", Buffer.from(`{"data":{"id":"program-1","at":${at}}}`)]]);
    const { goLive } = await prepareTenant(side.store, tenant, { generation: 1, list, details });
    await replace(side, goLive);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / perRound;
}

async function replace(side: Side, put: Awaited<ReturnType<typeof prepareTenant>>["goLive"]): Promise<void> {
  const { etag } = side;
  const result = await put(etag === undefined ? { kind: "absent" } : { kind: "match", etag });
  if (result.kind !== "stored") throw new Error("somebody else writes to the store");
  side.etag = result.etag;
}

async function hiddenFiles(directory: string): Promise<number> {
  const found = await readdir(join(directory, dirname(key)), { recursive: true });
  return found.filter((path) => path.split("/").some((name) => name.startsWith("."))).length;
}
