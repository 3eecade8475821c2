// `npm run bench:gateway [-- --rounds N] [--seconds S]`: the gateway against a bare node:http server that
// gives the same answers. Rounds are interleaved; figures are medians over rounds.
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { runCli } from "../../cli/demo/programs.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type LoadResult, load } from "./load.ts";
import { type BenchCase, recordAnswers } from "./record.ts";
import { benchOptions, median, type Row, reportBench } from "./report.ts";
import { seedTenants } from "./seeded.ts";
import { type BenchServer, detailPaths, startGateway, startServer, tokenHeaders } from "./servers.ts";

const values = benchOptions({ rounds: "15", seconds: "1" });
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = 32;
/**
 * In a pause V8 sometimes gives memory back, and any server of `node:http` is slower by a fifth or more from
 * then on. This would decide the ratio if it happened to one of the servers only. See docs/performance.md.
 */
const nodeOptions = ["--no-memory-reducer"];
const folder = temporaryFolder("bench");
const storeUrl = `file:${folder}/store`;
/** For the commands that fill the store. */
const env = {
  PATH: process.env.PATH,
  DATA_DIR: folder,
  STORE_URL: storeUrl,
  LOG_LEVEL: "warn",
  DATABASE_URL: "",
};

await withEmbeddedPostgres(folder, async (databaseUrl) => {
  env.DATABASE_URL = databaseUrl;
  const [small, large] = await seedTenants(env, databaseUrl, [30, 1500]);
  await runCli(["snapshot", "build"], env);
  const tokens = await issueTokens(small?.tenantId ?? "", large?.tenantId ?? "");
  // A gateway that starts now knows the tokens.
  const gateway = await startGateway({ STORE_URL: storeUrl }, nodeOptions);
  const [detail = ""] = await detailPaths(gateway.url, tokens.small);
  const cases = benchCases(detail, tokens);
  const recordings = await recordAnswers(gateway.url, cases, folder);
  const bare = await startServer("scripts/bench/bare-server.js", { RECORDINGS: recordings }, nodeOptions);
  try {
    reportBench("gateway", await measure(cases, gateway, bare));
  } finally {
    await Promise.all([gateway.stop(), bare.stop()]);
  }
});

type Tokens = Readonly<Record<"small" | "narrow" | "large", BenchCase["headers"]>>;

/**
 * Headers with tokens: two of a tenant with a short list, one of which has a quota of one request, and one of
 * a tenant with a large list.
 */
async function issueTokens(smallTenant: string, largeTenant: string): Promise<Tokens> {
  return {
    small: await tokenHeaders(smallTenant, env),
    narrow: await tokenHeaders(smallTenant, env, "--rate-limit", "1"),
    large: await tokenHeaders(largeTenant, env),
  };
}

/** `detail`: the path of a program of the tenant with the short list. */
function benchCases(detail: string, { small, narrow, large }: Tokens): readonly BenchCase[] {
  return [
    { name: "detail", path: detail, headers: small, expectedStatus: 200 },
    { name: "list", path: "/v1/programs", headers: small, expectedStatus: 200 },
    { name: "401", path: detail, headers: {}, expectedStatus: 401 },
    { name: "404", path: "/v1/programs/unknown", headers: small, expectedStatus: 404 },
    { name: "429", path: detail, headers: narrow, expectedStatus: 429 },
    { name: "list-1MB", path: "/v1/programs", headers: large, expectedStatus: 200 },
    {
      name: "list-1MB-gzip",
      path: "/v1/programs",
      headers: { ...large, "Accept-Encoding": "gzip" },
      expectedStatus: 200,
    },
  ];
}

type Run = LoadResult & { readonly cpuMicros: number };

async function measure(cases: readonly BenchCase[], gateway: BenchServer, bare: BenchServer): Promise<Row[]> {
  const results = new Map<string, Run[]>();
  const run = async (key: string, server: BenchServer, path: string, answer: BenchCase): Promise<void> => {
    const before = server.cpuMicros();
    const result = await load({ url: server.url + path, headers: answer.headers, connections, seconds });
    const requests = result.requestsPerSecond * seconds;
    // The loader counts answers other than 2xx and 3xx, since a server that fails fast must not look like a
    // fast one.
    const wrong = answer.expectedStatus === 200 ? result.errors > 0 : result.errors < requests * 0.9;
    if (wrong) throw new Error(`${key}: ${result.errors} of ${requests} answers were errors`);
    const cpuMicros = (server.cpuMicros() - before) / requests;
    results.set(key, [...(results.get(key) ?? []), { ...result, cpuMicros }]);
  };
  for (let round = 0; round <= rounds; round += 1) {
    // The first round does not count, since code is still being compiled.
    if (round === 1) results.clear();
    for (const answer of cases) {
      const { name, path } = answer;
      const runs = [
        () => run(`gateway ${name}`, gateway, path, answer),
        () => run(`bare ${name}`, bare, `/${name}`, answer),
      ];
      // The order changes, so that neither server always follows the other.
      for (const next of round % 2 === 0 ? runs : runs.reverse()) await next();
    }
  }
  return cases.map(({ name }) => {
    const [ours = [], bares = []] = ["gateway", "bare"].map((key) => results.get(`${key} ${name}`));
    const rate = (runs: readonly Run[]): number =>
      median(runs.map(({ requestsPerSecond }) => requestsPerSecond));
    // The ratio is taken per round, since the machine's other load changes from round to round.
    const ratio = (of: readonly Run[], to: readonly Run[], pick: (run: Run) => number): number =>
      Number(median(of.map((one, at) => pick(one) / pick(to[at] ?? one))).toFixed(2));
    return {
      case: name,
      "gateway/s": Math.round(rate(ours)),
      "bare/s": Math.round(rate(bares)),
      ratio: ratio(ours, bares, ({ requestsPerSecond }) => requestsPerSecond),
      "cpu µs": Math.round(median(ours.map(({ cpuMicros }) => cpuMicros))),
      "bare cpu µs": Math.round(median(bares.map(({ cpuMicros }) => cpuMicros))),
      "cpu ratio": ratio(bares, ours, ({ cpuMicros }) => cpuMicros),
      "p99 ms": Number(median(ours.map(({ p99Ms }) => p99Ms)).toFixed(2)),
      "p99 ratio": ratio(ours, bares, ({ p99Ms }) => p99Ms),
    };
  });
}
