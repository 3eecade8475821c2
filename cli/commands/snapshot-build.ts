import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Command, Option } from "commander";
import { Failure, type FailureCode } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { printableLines } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { createAudit } from "../operate/audit/audit.ts";
import { publications } from "../operate/audit/changes.ts";
import { auditedStatus } from "../operate/audit/with-audit.ts";
import { withMetricsFile } from "../publish/report/metrics-file.ts";
import { createProgressBar } from "../publish/report/progress-bar.ts";
import { type RunPlaces, runPlaces, runSummary } from "../publish/report/run-summary.ts";
import { withBuildSession } from "../publish/run/build-session.ts";
import type { Shard } from "../publish/run/shard.ts";
import { type BuildFlags, buildOptions } from "../publish/tenant/build-context.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { placeFailure } from "../shell/place-failure.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { asShard, asTenantId, type ReasonFlag, reasonOption, wholeNumber } from "./option-values.ts";

interface CommandFlags extends BuildFlags, ReasonFlag {
  readonly tenant?: readonly TenantId[];
  readonly shard?: Shard;
  readonly report?: string;
  readonly metricsFile?: string;
  readonly json: boolean;
}

/** `snapshot build`: reads the source and publishes what changed. */
export function snapshotBuild(shell: Shell): Command {
  return new Command()
    .option("--tenant <id...>", "only these tenants", collectTenants)
    .addOption(shardOption().conflicts("tenant"))
    .addOption(concurrencyOption())
    .addOption(onInvalidOption())
    .option(
      "--allow-shrink",
      "publish also when a tenant lost more than half of its programs, none of them withdrawn",
      false,
    )
    .option(
      "--allow-emptied",
      "publish also when most programs of a tenant lose a field that they had",
      false,
    )
    .option("--allow-shared", "publish also when a tenant gets programs that another one has", false)
    .option(
      "--allow-vanished",
      "build also when most of the live tenants are not in the source any more",
      false,
    )
    .option(
      "--rewrite",
      "write every file anew, also unchanged ones: mends what `snapshot verify` found",
      false,
    )
    .option("--dry-run", "do everything but publish, and prove that it could", false)
    .option("--report <file>", "write the run report to this file")
    .option(
      "--metrics-file <file>",
      "add the run to this file of metrics, for node_exporter (name it *.prom)",
    )
    .addOption(reasonOption())
    .option("--json", "print the run report instead of the summary", false)
    .action(action(shell, run));
}

/** `--concurrency`, which `snapshot watch` has, too. */
export function concurrencyOption(): Option {
  return new Option("--concurrency <n>", "tenants built at a time").argParser(wholeNumber(1, 64)).default(4);
}

/** `--shard`, which `snapshot watch` has, too. */
export function shardOption(): Option {
  return new Option(
    "--shard <k/n>",
    "the k-th of n parts of all tenants, for n machines that share the work",
  ).argParser(asShard);
}

/** `--on-invalid`, which `snapshot watch` has, too. */
export function onInvalidOption(): Option {
  return new Option(
    "--on-invalid <what>",
    "what a program with an error does: be left out (report: status 3; skip: 0), or fail its tenant",
  )
    .choices(["report", "skip", "fail"])
    .default("report");
}

async function run(shell: Shell, flags: CommandFlags): Promise<ExitStatus> {
  const { tenant: tenants, allowShrink, allowEmptied, allowShared, allowVanished, dryRun } = flags;
  if (flags.report !== undefined) await assertWritable(flags.report);
  const overrides = [
    ...(allowShrink ? ["--allow-shrink"] : []),
    ...(allowEmptied ? ["--allow-emptied"] : []),
    ...(allowShared ? ["--allow-shared"] : []),
    ...(allowVanished ? ["--allow-vanished"] : []),
  ];
  if (flags.reason !== undefined && overrides.length === 0) {
    throw new Failure(
      "usage",
      "--reason is for --allow-shrink, --allow-emptied, --allow-shared and --allow-vanished: other builds leave no record in the audit.",
    );
  }
  const command = ["snapshot build", ...overrides].join(" ");
  const audit =
    overrides.length === 0
      ? undefined
      : createAudit(shell, { command, tenants: tenants ?? [], reason: flags.reason });
  let unrecorded: Failure | undefined;
  let places: RunPlaces = { database: "", store: "" };
  const report = await measured(shell, flags, async () => {
    // P114: a run that fails because of wrong settings writes the metrics file, too.
    const settings = settingsOf(shell);
    places = runPlaces(settings);
    const hooks = { watchStore: audit?.watch };
    return await withBuildSession(shell, settings, buildOptions(flags, settings), hooks, async (session) => {
      const built = await session.build({
        wanted:
          tenants === undefined ? { kind: "all", shard: flags.shard } : { kind: "asked", tenantIds: tenants },
        progress: createProgressBar(shell.stderr, shell.now),
      });
      if (!dryRun) await session.keepReport(built);
      audit?.note(publications(built.tenants));
      unrecorded = await audit?.end(failureOf(built));
      return built;
    });
  });
  if (flags.json) printJson(shell, report);
  else shell.stdout.write(runSummary(report, places));
  if (report.failure !== null) {
    shell.stderr.write(`partner-programs: ${printableLines(report.failure.message)}\n`);
  }
  if (flags.report !== undefined) await writeReport(flags.report, report);
  return auditedStatus(shell, unrecorded, report.exitStatus);
}

function failureOf({ failure }: RunReport): Failure | undefined {
  return failure === null ? undefined : new Failure(failure.code as FailureCode, failure.message);
}

async function measured(
  shell: Shell,
  { metricsFile, tenant, shard }: CommandFlags,
  build: () => Promise<RunReport>,
): Promise<RunReport> {
  if (metricsFile === undefined) return await build();
  const kind = tenant !== undefined ? "asked" : shard !== undefined ? "shard" : "round";
  return await withMetricsFile(metricsFile, shell, kind, build);
}

/** Fails before the run, which may take minutes, when the report could not be written after it. */
async function assertWritable(path: string): Promise<void> {
  try {
    const file = await stat(path).catch(() => undefined);
    if (file?.isDirectory()) throw new Failure("usage", `--report: ${path} is a folder; name a file.`);
    // With `/.` at its end, a path that is no folder is refused, too.
    await access(file === undefined ? `${dirname(path)}/.` : path, constants.W_OK);
  } catch (error) {
    throw placeFailure(error, `--report: the file ${path}`, "Nothing was built.");
  }
}

async function writeReport(path: string, report: RunReport): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    throw new Failure(
      "usage",
      `The report could not be written to ${path}; the run itself ended as printed.`,
      { cause: error },
    );
  }
}

function collectTenants(value: string, previous: readonly TenantId[] | undefined): readonly TenantId[] {
  return [...(previous ?? []), asTenantId(value)];
}
