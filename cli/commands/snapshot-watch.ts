import { Command, InvalidArgumentError } from "commander";
import { printableJson } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { type BuildSession, type RunProgress, withBuildSession } from "../build/build-session.ts";
import { type Changes, withChangeFeed } from "../build/change-feed.ts";
import type { OnInvalid } from "../build/guards.ts";
import { createProgressBar } from "../presentation/progress-bar.ts";
import { runSummary } from "../presentation/run-summary.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, commandLogger, type Shell, settingsOf } from "../shell/shell.ts";
import { concurrencyOption, onInvalidOption } from "./snapshot-build.ts";

interface WatchFlags {
  readonly interval: number;
  readonly concurrency: number;
  readonly onInvalid: OnInvalid;
  readonly json: boolean;
}

/** `snapshot watch`: builds a tenant when the source says that it changed, and everything at least every interval. */
export function snapshotWatch(shell: Shell): Command {
  return new Command()
    .option("--interval <seconds>", "build all tenants at least this often", interval, 300)
    .addOption(concurrencyOption())
    .addOption(onInvalidOption())
    .option("--json", "print each run report as a line of JSON instead of a summary", false)
    .action(action(shell, (flags: WatchFlags) => run(shell, flags)));
}

async function run(shell: Shell, flags: WatchFlags): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const logger = commandLogger(shell, settings);
  const createProgress = (): RunProgress => createProgressBar(shell.stderr, shell.now);
  const { concurrency } = flags;
  const options = { concurrency, createProgress, confirmationIntervalMs };
  await withBuildSession(shell, settings, options, (session) =>
    withChangeFeed(session.databaseUrl, logger, async (feed) => {
      let changes: Changes | undefined = { kind: "all" };
      let lastOutcome: RunReport["outcome"] | undefined;
      let allDueAt = 0;
      while (!shell.signal.aborted) {
        if (changes === undefined || changes.kind === "all") {
          changes = { kind: "all" };
          allDueAt = shell.now().getTime() + flags.interval * 1000;
        }
        lastOutcome = await build(shell, session, flags, changes, lastOutcome);
        const waitMs = Math.max(0, allDueAt - shell.now().getTime());
        changes = await feed.next(waitMs, shell.signal).catch(() => undefined);
      }
    }),
  );
  // Being stopped is success. A build under way was given up before it changed anything.
  return 0;
}

async function build(
  shell: Shell,
  session: BuildSession,
  { concurrency, onInvalid, json }: WatchFlags,
  changes: Changes,
  lastOutcome: RunReport["outcome"] | undefined,
): Promise<RunReport["outcome"]> {
  const tenants = changes.kind === "all" ? undefined : changes.tenantIds;
  const report = await session.build({
    tenants,
    unknownTenants: "pass_over",
    concurrency,
    onInvalid,
    allowShrink: false,
    rewrite: false,
    dryRun: false,
  });
  // Nothing happened, again: a report a minute would only hide those that say something.
  const isNews = report.outcome !== "unchanged" || lastOutcome !== "unchanged";
  if (isNews && report.outcome !== "interrupted") {
    await session.keepReport(report);
    shell.stdout.write(`${json ? printableJson(report, 0) : runSummary(report)}\n`);
  }
  return report.outcome;
}

const confirmationIntervalMs = 10_000;

function interval(value: string): number {
  const seconds = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("Expected a whole number of seconds from 1 to 86400.");
}
