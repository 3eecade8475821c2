import type { Logger } from "../../../core/logger.ts";
import { buildInfo } from "../../../core/package-version.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { BuildSession, RunProgress } from "../run/build-session.ts";
import { type NotificationEvents, withNotifications } from "./notifications.ts";
import { ConfirmedTenants, RoundHealth } from "./run-history.ts";
import { createTenantQueue } from "./tenant-queue.ts";
import { createWatchBuilds, type RunKind } from "./watch-builds.ts";
import type { MetricSources } from "./watch-metrics.ts";
import { withWriteCounters } from "./write-counters.ts";

interface WatchOptions {
  readonly session: BuildSession;
  readonly settings: CliSettings;
  readonly concurrency: number;
  readonly intervalMs: number;
  /** `undefined`: write counters are not looked at. */
  readonly pollMs: number | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly progressOf: (kind: RunKind) => RunProgress;
  /** When this process began a new store, if it did. */
  readonly storeBegunAt: () => Date | undefined;
  /** Where the listener for health and metrics is, when there is one. */
  readonly onAdmin: (address: string) => void;
  /** Called once after each run of a told tenant or of all, unless the run was interrupted. */
  readonly afterRun: (report: RunReport) => Promise<void>;
}

/** Builds what changes, until the signal. */
export async function watchSource(options: WatchOptions): Promise<void> {
  const { session, concurrency, intervalMs, pollMs, logger, signal, progressOf } = options;
  const clock = (): number => performance.now();
  logger.info({ ...buildInfo() }, "watching the source");
  const queue = createTenantQueue({ concurrency, intervalMs });
  const health = new RoundHealth(intervalMs);
  const confirmed = new ConfirmedTenants();
  let isListening = false;
  let hasBegun = false;

  const sources = {
    queueTenants: queue.waiting,
    isListening: () => isListening,
    confirmedAtMs: confirmed.atMs,
    storeBegunAt: options.storeBegunAt,
    notReadyCause: () => health.notReadyCause(clock()),
  };
  await withWatchAdmin(options.settings, sources, async (admin) => {
    if (admin.address !== undefined) options.onAdmin(admin.address);
    const builds = createWatchBuilds({
      queue,
      session,
      clock,
      progressOf,
      signal,
      onTenantDone: (run) => confirmed.note(run),
      async afterRun(report, kind) {
        if (report.outcome === "interrupted") return;
        if (kind === "round") {
          health.roundEnded(clock(), report.durationMs, report.failure?.code);
          if (report.failure === null) confirmed.keepOnly(report);
        }
        admin.run(report, kind);
        await options.afterRun(report);
      },
    });
    const look = (): void => {
      if (hasBegun) builds.look();
    };
    const onAllChanged = (): void => {
      queue.tellAll();
      look();
    };
    const events: NotificationEvents = {
      onChange(change) {
        if (change === undefined) queue.tellVaguely();
        else queue.tell(change.tenantId, change.program);
        look();
      },
      onListening() {
        isListening = true;
        // Changes were missed while nobody listened. At the start the first round is still to come.
        if (hasBegun) onAllChanged();
      },
      onDeaf() {
        isListening = false;
      },
    };
    await withNotifications(session.databaseUrl, events, logger, signal, async (firstAttempt) => {
      const begin = async (firstLook: Promise<void>): Promise<void> => {
        // Builds from now on read no older data than what is heard and counted.
        await Promise.all([firstAttempt, firstLook]);
        hasBegun = true;
        builds.look();
        await builds.ended();
      };
      if (pollMs === undefined) return await begin(Promise.resolve());
      const { pool } = session;
      await withWriteCounters({ pool, everyMs: pollMs, onMoved: onAllChanged, logger, signal }, begin);
    });
  });
}

/** Hears of each run, for whoever asks the listener. */
interface WatchAdmin {
  /** As a URL; `undefined` when there is no listener. */
  readonly address: string | undefined;
  run(report: RunReport, kind: RunKind): void;
}

/** Runs with the listener of the settings. Its code is loaded only when the settings ask for it. */
async function withWatchAdmin<Result>(
  settings: CliSettings,
  sources: MetricSources & { readonly notReadyCause: () => string | undefined },
  use: (admin: WatchAdmin) => Promise<Result>,
): Promise<Result> {
  const { adminHost: host, watchAdminPort: port, adminHostNames } = settings;
  if (port === undefined) return await use({ address: undefined, run: () => {} });
  const { createWatchMetrics } = await import("./watch-metrics.ts");
  const { createAdminServer } = await import("../../../core/admin-server.ts");
  const { listen } = await import("../../../core/listen.ts");
  const metrics = createWatchMetrics(sources);
  const server = createAdminServer({
    hostNames: [host, ...adminHostNames],
    hostSetting: "ADMIN_HOST",
    otherMethods: 405,
    notReadyCause: sources.notReadyCause,
    metrics,
  });
  try {
    return await use({ address: await listen(server, host, port), run: metrics.run });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
