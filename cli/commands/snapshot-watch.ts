import { printableJson } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { runPlaces, runSummary } from "../publish/report/run-summary.ts";
import { withBuildSession } from "../publish/run/build-session.ts";
import { buildOptions } from "../publish/tenant/build-context.ts";
import { watchSource } from "../publish/watch/watch-source.ts";
import { commandLogger } from "../shell/command-logger.ts";
import { settingsOf } from "../shell/shell.ts";
import { command, defaulted, flag } from "./command.ts";
import { wholeNumber } from "./option-values.ts";
import { concurrency, onInvalid, shard } from "./snapshot-build.ts";

/** `snapshot watch`: builds a tenant when the source says that it changed, and all tenants at least every interval. */
export const snapshotWatch = command(
  {
    interval: defaulted("<seconds>", "build all tenants at least this often", wholeNumber(1, 86_400), 300),
    shard,
    concurrency,
    onInvalid,
    json: flag("print each run report as a line of JSON instead of a summary"),
  },
  async (shell, { interval, shard, concurrency, onInvalid, json }) => {
    const settings = settingsOf(shell);
    const options = buildOptions({ concurrency, onInvalid }, settings);
    const places = runPlaces(settings);
    const onNews = (report: RunReport): void => {
      shell.stdout.write(`${json ? printableJson(report, 0) : runSummary(report, places)}\n`);
    };
    const hooks = { confirmationIntervalMs, onNews };
    await withBuildSession(shell, settings, options, hooks, (session) =>
      watchSource({
        session,
        settings,
        concurrency,
        intervalMs: interval * 1000,
        shard,
        logger: commandLogger(shell, settings),
        signal: shell.signal,
        onAdmin: (address) => {
          shell.stderr.write(`partner-programs: health and metrics on ${address}\n`);
        },
      }),
    );
    // Being stopped is success. A build under way was given up before it changed anything.
  },
);

/** The shortest time between two writes of `runs/confirmed.json`. It is one small object, however many tenants change. */
const confirmationIntervalMs = 10_000;
