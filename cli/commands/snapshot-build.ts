import { parseTenantId } from "../../core/ground/ids.ts";
import { printable, printableLines } from "../../core/ground/printable.ts";
import { showStoreAddress } from "../../core/process/store-address.ts";
import { auditedStatus } from "../change/audit/recorded-change.ts";
import { auditedBuild } from "../change/snapshots/audited-build.ts";
import { databaseLabel } from "../database/with-database-url.ts";
import type { OnInvalid } from "../publish/guards/guards.ts";
import { runSummary } from "../publish/report/run-summary.ts";
import { assertWritable, writeReport } from "../shell/report-file.ts";
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
    if (flags.report !== undefined) await assertWritable(flags.report);
    const { report, unrecorded } = await auditedBuild(shell, flags);
    printResult(shell, flags.json, report, runSummary(report, runPlaces(settingsOf(shell))));
    if (report.failure !== null) {
      shell.stderr.write(`partner-programs: ${printableLines(report.failure.message)}\n`);
    }
    if (flags.report !== undefined) await writeReport(flags.report, report);
    return auditedStatus(shell, unrecorded, report.exitStatus);
  },
);

/** A run's booking database and store, for people. Its session has found that `pg` can use the setting. */
export function runPlaces(settings: CliSettings): string {
  const [database, store] = [databaseLabel(settings), showStoreAddress(settings.storeUrl)].map(printable);
  return `From ${database} into ${store}`;
}
