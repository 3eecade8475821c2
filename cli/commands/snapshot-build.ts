import { access, constants, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { showStoreAddress } from "../../core/addresses.ts";
import { Failure, type FailureCode } from "../../core/failure.ts";
import { parseTenantId } from "../../core/ids.ts";
import { printable, printableLines } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { createAudit, publications } from "../change/audit/audit.ts";
import { auditedStatus } from "../change/audit/recorded-change.ts";
import { databaseLabel } from "../database/with-database-url.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import type { OnInvalid } from "../publish/guards/guards.ts";
import type { withMetricsFile } from "../publish/report/metrics-file.ts";
import { runSummary } from "../publish/report/run-summary.ts";
import { withBuildSession } from "../publish/run/build-session.ts";
import { buildOptions } from "../publish/tenant/build-context.ts";
import { placeFailure } from "../shell/place-failure.ts";
import { type CliSettings, printResult, settingsOf } from "../shell/shell.ts";
import { asText, command, defaulted, flag, type Part, repeated, value } from "./command.ts";
import { asShard, reason, wholeNumber } from "./option-values.ts";

/** Options that `snapshot watch` has, too. */
export const concurrency = defaulted("<n>", "tenants built at a time", wholeNumber(1, 64), 4);
export const shard = value(
  "<k/n>",
  "the k-th of n parts of all tenants, for n machines that share the work",
  asShard,
);
export const onInvalid: Part<OnInvalid> = {
  placeholder: "<what>",
  description:
    "what a program with an error does: be left out (report: status 3; skip: 0), or fail its tenant",
  choices: ["report", "skip", "fail"],
  otherwise: "report",
};

/** `snapshot build`: reads the source and publishes what changed. */
export const snapshotBuild = command(
  {
    tenant: repeated("<id...>", "only these tenants", parseTenantId),
    shard: { ...shard, excluded: ["tenant"] },
    concurrency,
    onInvalid,
    allowShrink: flag(
      "publish also when a tenant lost more than half of its programs, none of them withdrawn",
    ),
    allowEmptied: flag("publish also when most programs of a tenant lose a field that they had"),
    allowShared: flag("publish also when a tenant gets programs that another one has"),
    allowScaled: flag(
      "publish also when most starting amounts of a tenant are 10 times what they were, or a tenth",
    ),
    allowVanished: flag("build also when most of the live tenants are not in the source any more"),
    rewrite: flag("write every file anew, also unchanged ones: mends what `snapshot verify` found"),
    dryRun: flag("do everything but publish, and prove that it could"),
    report: value("<file>", "write the run report to this file", asText),
    metricsFile: value(
      "<file>",
      "add the run to this file of metrics, for node_exporter (name it *.prom)",
      asText,
    ),
    reason,
    json: flag("print the run report instead of the summary"),
  },
  async (shell, flags) => {
    const { tenant: tenantIds, shard, reason, metricsFile } = flags;
    if (flags.report !== undefined) await assertWritable(flags.report);
    const overrides = guards.flatMap((guard) =>
      flags[`allow${guard}`] ? `--allow-${guard.toLowerCase()}` : [],
    );
    if (reason !== undefined && overrides.length === 0) {
      throw new Failure(
        "usage",
        `--reason is for ${guards.map((guard) => `--allow-${guard.toLowerCase()}`).join(", ")}: other builds leave no record in the audit.`,
      );
    }
    const request = { command: ["snapshot build", ...overrides].join(" "), tenants: tenantIds ?? [], reason };
    const audit = overrides.length === 0 ? undefined : createAudit(shell, request);
    let unrecorded: Failure | undefined;
    let places = "";
    const build = async (): Promise<RunReport> => {
      // P115: a run that fails because of wrong settings writes the metrics file, too.
      const settings = settingsOf(shell);
      const hooks = { watchStore: audit?.watch };
      const options = buildOptions(flags, settings);
      return await withBuildSession(shell, settings, options, hooks, async (session) => {
        places = runPlaces(settings);
        const built = await session.build({
          wanted: tenantIds === undefined ? { kind: "all", shard } : { kind: "asked", tenantIds },
          progress: createProgressBar(shell.stderr, shell.now),
        });
        audit?.note(publications(built.tenants));
        unrecorded = await audit?.end(failureOf(built));
        return built;
      });
    };
    const kind = tenantIds !== undefined ? "asked" : shard !== undefined ? "shard" : "round";
    const report = await (metricsFile === undefined ? build() : measured(metricsFile, shell, kind, build));
    printResult(shell, flags.json, report, runSummary(report, places));
    if (report.failure !== null) {
      shell.stderr.write(`partner-programs: ${printableLines(report.failure.message)}\n`);
    }
    if (flags.report !== undefined) await writeReport(flags.report, report);
    return auditedStatus(shell, unrecorded, report.exitStatus);
  },
);

/** The booking database and the store of a run, for people. The run's session has found that `pg` can use the setting. */
export function runPlaces(settings: CliSettings): string {
  const [database, store] = [databaseLabel(settings), showStoreAddress(settings.storeUrl)].map(printable);
  return `From ${database} into ${store}`;
}

const guards = ["Shrink", "Emptied", "Shared", "Scaled", "Vanished"] as const;

/** Most builds write no metrics, and begin sooner without the library. */
const measured: typeof withMetricsFile = async (...run) =>
  await (await import("../publish/report/metrics-file.ts")).withMetricsFile(...run);

function failureOf({ failure }: RunReport): Failure | undefined {
  return failure === null ? undefined : new Failure(failure.code as FailureCode, failure.message);
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
    const what = `The report could not be written to ${path}; the run itself ended as printed.`;
    throw new Failure("usage", what, { cause: error });
  }
}
