import { asFailure } from "../../../core/failure.ts";
import type { Logger } from "../../../core/logger.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { type SourcePool, withSourcePool } from "../../database/connect.ts";
import type { DatabaseUrl } from "../../database/source-client.ts";
import { refuseDemoStore, withDatabaseUrl } from "../../database/with-database-url.ts";
import { commandLogger } from "../../shell/command-logger.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { createFollowLive } from "../live-copy/live-tree.ts";
import { identifiedStore } from "../store/identified-store.ts";
import { requireConditionalWrites } from "../store/probe-conditional-writes.ts";
import { requireHonouredConditions } from "../store/with-checked-store.ts";
import type { BuildOptions } from "../tenant/build-context.ts";
import { type BuildSchedule, boundedSchedule, buildRun, storeRunReport } from "./build-run.ts";
import type { WantedTenants } from "./chosen-tenants.ts";
import { sessionConfirmations } from "./confirmation-writer.ts";
import { createTenantNews } from "./run-news.ts";

/** What a command hears of its session, and may add to it. */
export interface SessionHooks {
  /** How often `runs/confirmed.json` may be written while the session lasts; left out: at its end only. */
  readonly confirmationIntervalMs?: number;
  /** The store as the builds see it, where more is to happen with what they write. */
  readonly watchStore?: ((store: ObjectStore) => ObjectStore) | undefined;
}

export interface RunRequest {
  readonly wanted: WantedTenants;
  /** Unless given: the tenants side by side, in their order. */
  readonly schedule?: BuildSchedule;
  readonly progress: RunProgress;
  readonly onTenantDone?: (run: TenantRun) => void;
}

/** Source and store, open for any number of runs, also side by side. */
export interface BuildSession {
  readonly databaseUrl: DatabaseUrl;
  readonly pool: SourcePool;
  /** Runs a build, with a log line per tenant. Throws nothing: see the report's `failure`. */
  build(request: RunRequest): Promise<RunReport>;
  /** Stores the report under `runs/` for support, if there is a store. A failure of this undoes nothing. */
  keepReport(report: RunReport): Promise<void>;
}

/** Hears how far one run is. */
export interface RunProgress {
  total(tenants: number): void;
  tenantDone(): void;
  programs(count: number): void;
  /** The run is over, or something else will be printed. */
  clear(): void;
}

export async function withBuildSession<Result>(
  shell: Shell,
  settings: CliSettings,
  options: BuildOptions,
  { confirmationIntervalMs, watchStore }: SessionHooks,
  use: (session: BuildSession) => Promise<Result>,
): Promise<Result> {
  const { signal, now, randomBytes } = shell;
  const logger = commandLogger(shell, settings);
  const isTenantNews = createTenantNews();
  await refuseDemoStore(settings);
  return await withStore(settings, (opened) => {
    const requireConditions = onceDone(() => requireHonouredConditions(settings, opened, shell));
    const identified = identifiedStore(opened, settings, shell, { requireConditions });
    const store = watchStore?.(identified) ?? identified;
    const connections = options.concurrency + spareConnections;
    return withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections, signal }, async (pool) => {
        const confirmations = sessionConfirmations(store, shell, confirmationIntervalMs);
        const context = { pool, store, beforeFirstWrite: requireConditions, now, randomBytes, signal };
        let hasWorked = false;
        const session: BuildSession = {
          databaseUrl,
          pool,
          async build({ wanted, schedule = boundedSchedule(options.concurrency), progress, onTenantDone }) {
            // A folder may be read-only, too.
            if (options.dryRun) await requireConditionalWrites(opened, shell);
            identified.identifyAnew();
            const report = await buildRun(wanted, options, {
              ...context,
              schedule,
              followLive: createFollowLive(shell, settings),
              onTenants: progress.total,
              onProgress: progress.programs,
              onTenantDone: (run) => {
                progress.tenantDone();
                if (!options.dryRun) confirmations.note([run]);
                logTenant(logger, run, isTenantNews(run));
                onTenantDone?.(run);
              },
            });
            progress.clear();
            confirmations.noteReport(report);
            hasWorked ||= report.tenants.some(({ outcome }) => outcome !== "failed" && outcome !== "skipped");
            return report;
          },
          async keepReport(report) {
            try {
              // P160: a run that came to nothing begins no store, and there is nowhere to keep its report.
              const isWork = report.failure === null && report.outcome !== "interrupted";
              if (isWork || (await identified.exists())) await storeRunReport(store, report);
            } catch (error) {
              shell.stderr.write(
                `partner-programs: the run report was not stored: ${asFailure(error).message}\n`,
              );
            }
          },
        };
        try {
          return await use(session);
        } finally {
          // P160: without any work done there may be no store, and nothing to confirm.
          if (hasWorked || (await identified.exists().catch(() => true))) await confirmations.flush();
        }
      }),
    );
  });
}

/** For a round's list of tenants, and the question of the shared guard, beside the builds. */
const spareConnections = 2;

/** Runs the task for the first caller, whose outcome the others share; again if the store was away. */
function onceDone(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= task().catch((error: unknown) => {
      if (asFailure(error).code !== "store_unsupported") running = undefined;
      throw error;
    });
    return running;
  };
}

function logTenant(logger: Logger, run: TenantRun, isNews: boolean): void {
  const { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts } = run;
  const level = !isNews ? "debug" : failure === null ? "info" : "error";
  logger[level](
    { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts },
    `tenant ${outcome}`,
  );
}
