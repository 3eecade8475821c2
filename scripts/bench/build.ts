// `npm run bench:build [-- --tenants N --programs N --rounds N --store URL]`: building snapshots of seeded data, against
// PostgreSQL alone writing the same nested JSON into a file. Rounds are interleaved; figures are medians.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { type MeasuredRun, measuredCli } from "./measured-run.ts";
import { writeNestedJson } from "./nested-json.ts";
import { median, reportBench } from "./report.ts";

const { values } = parseArgs({
  options: {
    tenants: { type: "string", default: "100" },
    programs: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    store: { type: "string" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "partner-programs-bench-"));
const env = {
  ...process.env,
  DATABASE_URL: undefined,
  DATA_DIR: folder,
  STORE_URL: values.store ?? `file:${folder}/store`,
  LOG_LEVEL: "error",
};

try {
  await withEmbeddedPostgres(folder, {}, async (databaseUrl) =>
    reportBench("build", await measure(databaseUrl)),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(databaseUrl: string): Promise<Record<string, string | number>[]> {
  await measuredCli(["source", "init"], env);
  const size = ["--tenants", values.tenants, "--programs", values.programs];
  const seeded = await measuredCli(["source", "seed", ...size], env);
  const dry = await build("--dry-run");
  const first = await build();
  const unchanged: MeasuredRun[] = [];
  const read: MeasuredRun[] = [];
  const yardsticks: number[] = [];
  let programs = 0;
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const startedAt = performance.now();
    programs = await writeNestedJson(databaseUrl, join(folder, "nested.json"));
    yardsticks.push((performance.now() - startedAt) / 1000);
    unchanged.push(await build());
    read.push(await buildOfAnotherRecipe());
  }
  const yardstick = median(yardsticks);
  const row = (title: string, seconds: number, peakMb: number): Record<string, string | number> => ({
    case: title,
    seconds: Number(seconds.toFixed(1)),
    "programs/s": Math.round(programs / seconds),
    "times yardstick": Number((yardstick / seconds).toFixed(2)),
    "peak MB": Math.round(peakMb),
  });
  const medianRow = (title: string, runs: readonly MeasuredRun[]): Record<string, string | number> => {
    const seconds = median(runs.map((run) => run.seconds));
    return row(title, seconds, Math.max(...runs.map(({ peakMb }) => peakMb)));
  };
  console.log(`${values.tenants} tenants x ${values.programs} programs, ${programs} of them published`);
  return [
    row("seed", seeded.seconds, seeded.peakMb),
    row("PostgreSQL alone (yardstick)", yardstick, Number.NaN),
    medianRow("unchanged build", unchanged),
    medianRow("unchanged, but read in full", read),
    row("first build, without the writes", dry.seconds, dry.peakMb),
    row("first build", first.seconds, first.peakMb),
  ];
}

/** Reads every row and finds all details unchanged: what a build costs that something has changed for. */
async function buildOfAnotherRecipe(): Promise<MeasuredRun> {
  return await measuredCli(["snapshot", "build", "--dry-run"], { ...env, LEGACY_CAPACITY: "total" });
}

async function build(...options: readonly string[]): Promise<MeasuredRun> {
  return await measuredCli(["snapshot", "build", "--json", ...options], env);
}
