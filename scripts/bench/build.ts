// `npm run bench:build [-- --tenants N --programs N --rounds N --store URL]`: building snapshots of seeded
// data, against PostgreSQL alone writing the same nested JSON into a file. Rounds are interleaved; figures
// are medians.
import { join } from "node:path";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type MeasuredRun, measuredCli } from "./measured-run.ts";
import { writeNestedJson } from "./nested-json.ts";
import { changedPercent, queried } from "./queried.ts";
import { benchOptions, median, type Row, reportBench } from "./report.ts";

const folder = temporaryFolder("bench");
const values = benchOptions({ tenants: "100", programs: "1000", rounds: "3", store: `file:${folder}/store` });
const env: NodeJS.ProcessEnv = {
  ...process.env,
  DATABASE_URL: undefined,
  DATA_DIR: folder,
  STORE_URL: values.store,
  LIVE_COPY: "off",
  LOG_LEVEL: "error",
};

await withEmbeddedPostgres(folder, async (databaseUrl) => {
  env.DATABASE_URL = databaseUrl;
  reportBench("build", await measure(databaseUrl));
});

async function measure(databaseUrl: string): Promise<Row[]> {
  await measuredCli(["source", "init"], env);
  const size = ["--tenants", values.tenants, "--programs", values.programs];
  const seeded = await measuredCli(["source", "seed", ...size], env);
  const dry = await build("--dry-run");
  const first = await build();
  const withLive = await measuredCli(["snapshot", "build", "--json"], {
    ...env,
    LIVE_COPY: "on",
    STORE_URL: `${env.STORE_URL}-live`,
  });
  const unchanged: MeasuredRun[] = [];
  const percent: MeasuredRun[] = [];
  const one: MeasuredRun[] = [];
  const read: MeasuredRun[] = [];
  const yardsticks: number[] = [];
  let programs = 0;
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const startedAt = performance.now();
    programs = await writeNestedJson(databaseUrl, join(folder, "nested.json"));
    yardsticks.push((performance.now() - startedAt) / 1000);
    unchanged.push(await build());
    await queried(databaseUrl, changedPercent(round));
    percent.push(await build());
    await queried(databaseUrl, oneSql());
    one.push(await build());
    read.push(await buildOfAnotherRecipe());
  }
  const yardstick = median(yardsticks);
  const row = (title: string, { seconds, peakMb, cpuSeconds }: Figures): Row => ({
    case: title,
    seconds: Number(seconds.toFixed(1)),
    "programs/s": Math.round(programs / seconds),
    "times yardstick": Number((yardstick / seconds).toFixed(2)),
    "Node ms/program": Number(((cpuSeconds * 1000) / programs).toFixed(3)),
    "peak MB": Math.round(peakMb),
  });
  const medianRow = (title: string, runs: readonly MeasuredRun[]): Row =>
    row(title, {
      seconds: median(runs.map((run) => run.seconds)),
      cpuSeconds: median(runs.map((run) => run.cpuSeconds)),
      peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
    });
  console.log(`${values.tenants} tenants x ${values.programs} programs, ${programs} of them published`);
  return [
    row("seed", seeded),
    row("PostgreSQL alone (yardstick)", { seconds: yardstick, peakMb: Number.NaN, cpuSeconds: Number.NaN }),
    medianRow("unchanged build", unchanged),
    medianRow("1% of the programs changed", percent),
    medianRow("one program changed", one),
    medianRow("unchanged, but read in full", read),
    row("first build, without the writes", dry),
    row("first build", first),
    row("first build with live/", withLive),
  ];
}

/**
 * Reads every row and finds all details unchanged, which is what a full build costs when nothing has changed.
 */
async function buildOfAnotherRecipe(): Promise<MeasuredRun> {
  return await measuredCli(["snapshot", "build", "--dry-run"], { ...env, LEGACY_CAPACITY: "total" });
}

async function build(...options: readonly string[]): Promise<MeasuredRun> {
  return await measuredCli(["snapshot", "build", "--json", ...options], env);
}

type Figures = Omit<MeasuredRun, "stdout">;

function oneSql(): string {
  return `UPDATE booking.programs SET name = name || '.'
                 WHERE (company_code, code) = (
                   SELECT company_code, code FROM booking.programs WHERE state = 'active' ORDER BY 1, 2 LIMIT 1)`;
}
