// `npm run bench:still-pays`: whether each part that the gateway has for its speed alone still pays, with this version of
// Node.js and Express. Fails when one does not; then it should go. Takes about half a minute.
import { load } from "./load.ts";
import { median, reportBench } from "./report.ts";
import { type BenchServer, startServer } from "./servers.ts";

/**
 * What a request costs without the part, in processor time, relative to what it costs with all. `least` lies well below what
 * was measured, since other work on the machine moves each figure by some percent.
 */
const parts: readonly { readonly name: string; readonly measured: number; readonly least: number }[] = [
  { name: "matched prototypes", measured: 4.8, least: 1.5 },
  { name: "one write per answer", measured: 1.4, least: 1 },
];
const rounds = 5;
const seconds = 1;
const all = "";

const servers = new Map<string, BenchServer>();
try {
  for (const without of [all, ...parts.map(({ name }) => name)]) {
    servers.set(without, await startServer("scripts/bench/still-pays-server.js", { WITHOUT: without }));
  }
  const costs = await measure();
  const rows = parts.map(({ name, measured, least }) => {
    const ratio = median((costs.get(name) ?? []).map((cost, at) => cost / (costs.get(all)?.[at] ?? cost)));
    return { case: name, "cost without": Number(ratio.toFixed(2)), measured, least };
  });
  reportBench("still-pays", rows);
  for (const row of rows.filter((one) => !(one["cost without"] >= one.least))) {
    console.error(`"${row.case}" no longer pays.`);
    process.exitCode = 1;
  }
} finally {
  await Promise.all([...servers.values()].map((server) => server.stop()));
}

/** By server, microseconds of processor time per request in each round. */
async function measure(): Promise<ReadonlyMap<string, readonly number[]>> {
  const costs = new Map([...servers.keys()].map((name): [string, number[]] => [name, []]));
  // The first round does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, server] of servers) {
      const before = server.cpuMicros();
      const { requestsPerSecond, errors } = await load({
        url: server.url,
        headers: {},
        connections: 32,
        seconds,
      });
      if (errors > 0) throw new Error(`${errors} answers were wrong`);
      const cost = (server.cpuMicros() - before) / (requestsPerSecond * seconds);
      if (round > 0) costs.get(name)?.push(cost);
    }
  }
  return costs;
}
