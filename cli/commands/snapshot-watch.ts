import { Command } from "commander";
import { printableJson } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import type { OnInvalid } from "../publish/guards/guards.ts";
import { createProgressBar } from "../publish/report/progress-bar.ts";
import { type RunPlaces, runPlaces, runSummary } from "../publish/report/run-summary.ts";
import { type BuildSession, type RunProgress, withBuildSession } from "../publish/run/build-session.ts";
import { createNews } from "../publish/run/run-news.ts";
import type { Shard } from "../publish/run/shard.ts";
import { buildOptions } from "../publish/tenant/build-context.ts";
import { watchSource } from "../publish/watch/watch-source.ts";
import { commandLogger } from "../shell/command-logger.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell, settingsOf } from "../shell/shell.ts";
import { wholeNumber } from "./option-values.ts";
import { concurrencyOption, onInvalidOption, shardOption } from "./snapshot-build.ts";

interface WatchFlags {
  readonly interval: number;
  readonly shard?: Shard;
  readonly concurrency: number;
  readonly onInvalid: OnInvalid;
  readonly json: boolean;
}

/** `snapshot watch`: builds a tenant when the source says that it changed, and all tenants at least every interval. */
export function snapshotWatch(shell: Shell): Command {
  return new Command()
    .option("--interval <seconds>", "build all tenants at least this often", seconds, 300)
    .addOption(shardOption())
    .addOption(concurrencyOption())
    .addOption(onInvalidOption())
    .option("--json", "print each run report as a line of JSON instead of a summary", false)
    .action(action(shell, run));
}

async function run(shell: Shell, flags: WatchFlags): Promise<ExitStatus> {
  const { concurrency, onInvalid, interval, shard } = flags;
  const settings = settingsOf(shell);
  const options = buildOptions({ ...nothingForced, concurrency, onInvalid }, settings);
  const hooks = { confirmationIntervalMs };
  let roundProgress = silent;
  await withBuildSession(shell, settings, options, hooks, (session) => {
    const afterRun = reportRuns(shell, session, flags.json, runPlaces(settings), () => roundProgress.clear());
    return watchSource({
      session,
      settings,
      concurrency,
      intervalMs: interval * 1000,
      shard,
      logger: commandLogger(shell, settings),
      signal: shell.signal,
      progressOf(kind) {
        if (kind === "notified") return silent;
        roundProgress = createProgressBar(shell.stderr, shell.now);
        return roundProgress;
      },
      onAdmin: (address) => {
        shell.stderr.write(`partner-programs: health and metrics on ${address}\n`);
      },
      afterRun,
    });
  });
  // Being stopped is success. A build under way was given up before it changed anything.
  return 0;
}

const nothingForced = {
  allowShrink: false,
  allowEmptied: false,
  allowShared: false,
  allowVanished: false,
  rewrite: false,
  dryRun: false,
};

/** Makes the function that follows each run: it keeps and prints the report, unless the run says nothing new. */
function reportRuns(
  shell: Shell,
  session: BuildSession,
  json: boolean,
  places: RunPlaces,
  beforePrinting: () => void,
): (report: RunReport) => Promise<void> {
  const isNews = createNews();
  return async (report) => {
    if (!isNews(report)) return;
    await session.keepReport(report);
    beforePrinting();
    if (json) shell.stdout.write(`${printableJson(report, 0)}\n`);
    else shell.stdout.write(`${runSummary(report, places)}\n`);
  };
}

/** Builds of single tenants show no progress bar, which would only flicker. */
const silent: RunProgress = { total() {}, tenantDone() {}, programs() {}, clear() {} };

/** The shortest time between two writes of `runs/confirmed.json`. It is one small object, however many tenants change. */
const confirmationIntervalMs = 10_000;

/** From a second to a day. */
const seconds = wholeNumber(1, 86_400);
