import { printableJson } from "../../core/ground/printable.ts";
import { buildInfo } from "../../core/process/package-version.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { runSummary } from "../publish/report/run-summary.ts";
import { withBuildSession } from "../publish/run/build-session.ts";
import { buildOptions } from "../publish/tenant/build-context.ts";
import { maxOverdue } from "../publish/watch/tenant-queue.ts";
import { watchSource } from "../publish/watch/watch-source.ts";
import { commandLogger } from "../shell/command-logger.ts";
import { settingsOf } from "../shell/shell.ts";
import { command, defaulted, flag } from "./command.ts";
import { wholeNumber } from "./option-values.ts";
import { concurrency, onInvalid, runPlaces, shard } from "./snapshot-build.ts";

/** `snapshot watch`: builds a tenant when the source says it changed, and all tenants each interval. */
export const snapshotWatch = command(
  {
    interval: defaulted("<seconds>", "build all tenants at least this often", wholeNumber(1, 86_400), 300),
    shard,
    concurrency,
    onInvalid,
    json: flag("print each run report as a line of JSON instead of a summary"),
  },
  async (shell, { interval, shard, concurrency, onInvalid, json }) => {
    // A watch that ends since nobody reads its output is not done: whoever keeps it running starts it again.
    shell.finish(1);
    const settings = settingsOf(shell);
    const options = buildOptions({ concurrency, onInvalid }, settings);
    const logger = commandLogger(shell, settings);
    let places = "";
    const onNews = (report: RunReport): void => {
      shell.stdout.write(`${json ? printableJson(report, 0) : runSummary(report, places)}\n`);
    };
    const hooks = { confirmationIntervalMs, overdue: maxOverdue(concurrency), onNews };
    await withBuildSession(shell, settings, options, hooks, async (session) => {
      places = runPlaces(settings);
      logger.info({ ...buildInfo() }, "watching the source");
      await watchSource(shell, session, { shard, concurrency, intervalMs: interval * 1000, logger });
    });
    // Being stopped is success. A build under way was given up before it changed anything.
  },
);

/** The least time between two writes of `runs/confirmed.json`, one small object for all tenants. */
const confirmationIntervalMs = 10_000;
