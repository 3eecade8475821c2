// `npm run bench:neighbours [-- --rounds N] [--seconds S] [--mb N]`: how long one tenant's client waits while 16 readers
// take another tenant's list as fast as they can: a large one as it is, the same in its gzip form, and a small one.
import { join } from "node:path";
import { createFileStore } from "../../core/file-store/file-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { benchOptions } from "./bench-options.ts";
import { type LoadResult, load } from "./load.ts";
import { median, type Row, reportBench } from "./report.ts";
import { startGateway } from "./servers.ts";
import { listOfBytes, publishList } from "./synthetic-tenant.ts";
import { tokenHeaders } from "./token-headers.ts";

const values = benchOptions({ rounds: "5", seconds: "5", mb: "25" });
const seconds = Number(values.seconds);
const readers = 16;
const folder = temporaryFolder("bench");
const storeUrl = `file:${folder}/store`;

const large = await tenant("large", Number(values.mb) * 1e6);
const small = await tenant("small", 10_000);
const neighbour = await tenant("neighbour", 10_000);
const gateway = await startGateway({ STORE_URL: storeUrl });
try {
  const gzip = { "Accept-Encoding": "gzip" };
  const rows = await measure([
    { title: `${readers} readers of a small list`, headers: small },
    { title: `${readers} readers of ${values.mb} MB as they are`, headers: large },
    { title: `${readers} readers of ${values.mb} MB, gzip`, headers: { ...large, ...gzip } },
  ]);
  reportBench("neighbours", rows);
} finally {
  await gateway.stop();
}

interface Case {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Round {
  readonly neighbour: LoadResult;
  readonly requestsPerSecond: number;
  /** The gateway's processor time per request of a reader. */
  readonly cpuMs: number;
}

/** Publishes a list that resembles real ones. Returns the request headers for it. */
async function tenant(id: string, bytes: number): Promise<Readonly<Record<string, string>>> {
  await publishList(createFileStore({ directory: join(folder, "store") }), id, listOfBytes(sample(), bytes));
  return await tokenHeaders(id, { STORE_URL: storeUrl });
}

async function measure(cases: readonly Case[]): Promise<Row[]> {
  const rounds = cases.map((): Round[] => []);
  // The first round does not count.
  for (let round = -1; round < Number(values.rounds); round += 1) {
    for (const [at, { headers }] of cases.entries()) {
      const result = await oneRound(headers);
      if (round >= 0) rounds[at]?.push(result);
    }
  }
  const p99 = (of: readonly Round[]): number => median(of.map(({ neighbour: { p99Ms } }) => p99Ms));
  const yardstick = p99(rounds[0] ?? []);
  return cases.map(({ title }, at) => {
    const of = rounds[at] ?? [];
    return {
      case: title,
      "neighbour p50 ms": Number(median(of.map((round) => round.neighbour.p50Ms)).toFixed(2)),
      "neighbour p99 ms": Number(p99(of).toFixed(2)),
      "of the first": Number((p99(of) / yardstick).toFixed(2)),
      "readers' requests/s": Math.round(median(of.map((round) => round.requestsPerSecond))),
      "cpu ms per request": Number(median(of.map((round) => round.cpuMs)).toFixed(3)),
    };
  });
}

async function oneRound(headers: Case["headers"]): Promise<Round> {
  const url = `${gateway.url}/v1/programs`;
  const startedAt = gateway.cpuMicros();
  const [reading, waiting] = await Promise.all([
    load({ url, headers, connections: readers, seconds }),
    load({ url, headers: neighbour, connections: 1, seconds, pauseMs: 5 }),
  ]);
  if (reading.errors + waiting.errors > 0) throw new Error("answers were wrong");
  const cpuMs = (gateway.cpuMicros() - startedAt) / 1000 / (reading.requestsPerSecond * seconds);
  return { neighbour: waiting, requestsPerSecond: reading.requestsPerSecond, cpuMs };
}

/** Programs that compress as real ones do. */
function sample(): Buffer {
  const data = Array.from({ length: 20 }, (_, at) => ({
    id: `sample-${at}`,
    name: `Across the Alps ${at}`,
    status: "active",
    departureDate: `2027-0${1 + (at % 9)}-1${at % 10}`,
    durationDays: 3 + at,
    currency: "EUR",
    prices: {
      rooms: [1, 2].map((occupancy) => ({ occupancy, amount: 990 + 7.5 * at * occupancy })),
      children: [],
    },
    capacity: { total: 40, used: at, remaining: 40 - at },
    category: { type: "hiking", subtype: "alpine" },
    hotels: [{ name: `Hotel ${at}`, location: "Zermatt", checkIn: null, checkOut: null, starLevel: 4 }],
    media: { coverUrl: `https://images.example.com/covers/${at}.jpg`, galleryUrls: [] },
  }));
  return Buffer.from(JSON.stringify({ data }));
}
