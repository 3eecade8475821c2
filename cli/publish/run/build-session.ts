import { hostname } from "node:os";
import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/logger.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { packageVersion } from "../../../core/package-version.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { type SourcePool, withSourcePool } from "../../database/connect.ts";
import type { DatabaseUrl } from "../../database/source-client.ts";
import { refuseDemoStore, withDatabaseUrl } from "../../database/with-database-url.ts";
import { commandLogger } from "../../shell/command-logger.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { withStore } from "../../shell/with-store.ts";
import { createFollowLive } from "../live-copy/live-tree.ts";
import { requireSourceStructure } from "../source/check-structure.ts";
import { identifiedStore } from "../store/identified-store.ts";
import { requireConditionalWrites } from "../store/probe-conditional-writes.ts";
import { requireHonouredConditions } from "../store/with-checked-store.ts";
import type { BuildOptions } from "../tenant/build-options.ts";
import { buildRun, storeRunReport } from "./build-run.ts";
import { type BuildSchedule, boundedSchedule } from "./build-schedule.ts";
import type { WantedTenants } from "./chosen-tenants.ts";
import { knownTenants, sessionConfirmations } from "./confirmation-writer.ts";
import { patientPool, patientStore } from "./patience.ts";
import { createTenantNews } from "./run-news.ts";
import { defaultMaxWaitMs, withClaimsSession } from "./tenant-claims.ts";

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
  /** Each query and each write of the run waits for it. */
  readonly giveWay?: () => Promise<void>;
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
  const { signal } = shell;
  const logger = commandLogger(shell, settings);
  const isTenantNews = createTenantNews();
  const onWait = (tenantId: TenantId, isOverdue: boolean): void => {
    shell.stderr.write(`partner-programs: ${waitNotice(tenantId, isOverdue)}\n`);
  };
  const scope = claimScope(options, settings, shell.env);
  await refuseDemoStore(settings);
  return await withStore(settings, (opened) => {
    const requireConditions = onceDone(() => requireHonouredConditions(settings, opened, shell));
    const identified = identifiedStore(opened, settings, shell, {
      requireConditions,
    });
    const store = watchStore?.(identified) ?? identified;
    return withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections: options.concurrency + spareConnections, signal }, (pool) =>
        withClaimsSession({ databaseUrl, scope, onWait }, async (claimsSession) => {
          const context = {
            pool,
            store,
            beforeFirstWrite: requireConditions,
            now: shell.now,
            randomBytes: shell.randomBytes,
            signal,
            version: packageVersion(),
            checkSource: requireSourceStructure,
            followLive: createFollowLive(shell, settings),
          };
          const confirmations = sessionConfirmations(store, shell, confirmationIntervalMs);
          let hasWorked = false;
          let isFirst = true;
          const session: BuildSession = {
            databaseUrl,
            pool,
            async build({ wanted, schedule, progress, onTenantDone, giveWay }) {
              // The data of the first run is fresh from the start of the process, that of later runs from now.
              const startedMsAgo = isFirst ? performance.now() : 0;
              isFirst = false;
              // A folder may be read-only, too.
              if (options.dryRun) await requireConditionalWrites(opened, shell);
              identified.identifyAnew();
              const claims = await claimsSession.begin(startedMsAgo);
              const report = await buildRun(wanted, options, {
                ...context,
                ...(giveWay === undefined
                  ? {}
                  : { pool: patientPool(pool, giveWay), store: patientStore(store, giveWay) }),
                claims,
                schedule: schedule ?? boundedSchedule(options.concurrency, signal),
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
              hasWorked ||= report.tenants.some(
                ({ outcome }) => outcome !== "failed" && outcome !== "skipped",
              );
              const known = knownTenants(report);
              if (known !== undefined) confirmations.noteKnown(known, new Date(report.startedAt));
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
      ),
    );
  });
}

/** For a round's list of tenants and a look at the write counters, beside the builds. */
const spareConnections = 2;

function waitNotice(tenantId: TenantId, isOverdue: boolean): string {
  const minutes = defaultMaxWaitMs / 60_000;
  return isOverdue
    ? `another builder has had the tenant ${tenantId} for ${minutes} minutes; it is built here, too.`
    : `waiting for another builder of the tenant ${tenantId}, at most ${minutes} minutes.`;
}

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

/** Runs with the same scope would publish the same content to the same place. A folder is a place of one machine. */
function claimScope(options: BuildOptions, settings: CliSettings, env: Shell["env"]): string {
  const { onInvalid, allowShrink, allowEmptied, allowShared, rewrite, dryRun, rules } = options;
  const { storeUrl } = settings;
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_PROFILE } = env;
  const place =
    storeUrl.kind === "file" ? hostname() : [AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL, AWS_PROFILE];
  return JSON.stringify([
    [place, storeUrl],
    [rules.legacyCapacity, rules.terminalStatuses, rules.limits, onInvalid, rewrite, dryRun],
    [allowShrink, allowEmptied, allowShared, settings.sharedPrograms],
  ]);
}

function logTenant(logger: Logger, run: TenantRun, isNews: boolean): void {
  const { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts } = run;
  const level = !isNews ? "debug" : failure === null ? "info" : "error";
  logger[level](
    { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts },
    `tenant ${outcome}`,
  );
}
