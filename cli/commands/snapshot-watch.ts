import type { TenantId } from "../../core/ids.ts";
import { buildInfo } from "../../core/package-version.ts";
import { printableJson } from "../../core/printable.ts";
import type { RunReport } from "../../schemas/generated/types.ts";
import { runSummary } from "../publish/report/run-summary.ts";
import { type RunRequest, withBuildSession } from "../publish/run/build-session.ts";
import { inShard } from "../publish/snapshot/stored-tenants.ts";
import { buildOptions } from "../publish/tenant/build-context.ts";
import { listenForChanges, type NotificationEvents } from "../publish/watch/notifications.ts";
import { maxOverdue, TenantQueue } from "../publish/watch/tenant-queue.ts";
import { createToldNames } from "../publish/watch/told-names.ts";
import { type RunKind, withWatchAdmin } from "../publish/watch/watch-admin.ts";
import { commandLogger } from "../shell/command-logger.ts";
import { settingsOf } from "../shell/shell.ts";
import { command, defaulted, flag } from "./command.ts";
import { wholeNumber } from "./option-values.ts";
import { concurrency, onInvalid, runPlaces, shard } from "./snapshot-build.ts";

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
    // A watch that ends because nobody reads its output any more is not done, and whoever keeps it running starts it again.
    shell.finish(1);
    const settings = settingsOf(shell);
    const options = buildOptions({ concurrency, onInvalid }, settings);
    const logger = commandLogger(shell, settings);
    const { signal } = shell;
    const intervalMs = interval * 1000;
    let places = "";
    const onNews = (report: RunReport): void => {
      shell.stdout.write(`${json ? printableJson(report, 0) : runSummary(report, places)}\n`);
    };
    const hooks = { confirmationIntervalMs, overdue: maxOverdue(concurrency), onNews };
    await withBuildSession(shell, settings, options, hooks, async (session) => {
      places = runPlaces(settings);
      logger.info({ ...buildInfo() }, "watching the source");
      const { databaseUrl, pool, store, build, isUnrecorded } = session;
      const state = { waiting: () => 0, overdue: () => 0, isListening: false, isUnrecorded };
      await withWatchAdmin(shell, store, intervalMs, state, async (onRunEnded) => {
        const run = async (kind: RunKind, request: RunRequest): Promise<void> => {
          const report = await build(request);
          if (report.outcome !== "interrupted") onRunEnded(report, kind);
        };
        const queue = new TenantQueue({
          concurrency,
          intervalMs,
          signal,
          now: shell.now,
          async buildRound(schedule) {
            const ended = names.roundBegins();
            await run("round", { wanted: { kind: "all", shard }, schedule });
            ended();
          },
          buildNotified: (id) => run("notified", { wanted: { kind: "notified", tenantIds: [id] } }),
          onOverdue: (tenantId) =>
            logger.warn(
              { tenantId },
              "the tenant's build is overdue: the others do not wait for it any more",
            ),
        });
        const onTenant = (id: TenantId): void => {
          if (inShard(id, shard)) queue.notify(id);
        };
        const names = createToldNames({
          ...{ pool, store, intervalMs, signal, onTenant },
          onAnything: () => queue.notifyAll(),
        });
        state.waiting = () => queue.waiting();
        state.overdue = () => queue.overdue();
        let running: Promise<void> | undefined;
        const events: NotificationEvents = {
          onChange(tenantId) {
            if (tenantId === undefined) queue.notifyAll();
            else names.told(tenantId);
          },
          onListening(isListening) {
            state.isListening = isListening;
            // Changes were missed while nobody listened. At the start the first round is still to come.
            if (isListening && running !== undefined) queue.notifyAll();
            // A build that begins from now on reads no older data than what is heard.
            running ??= queue.run();
          },
        };
        await listenForChanges({ databaseUrl, pool, events, logger, signal });
        await running;
      });
    });
    // Being stopped is success. A build under way was given up before it changed anything.
  },
);

/** The shortest time between two writes of `runs/confirmed.json`. It is one small object, however many tenants change. */
const confirmationIntervalMs = 10_000;
