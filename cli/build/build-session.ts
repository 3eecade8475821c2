import { hostname } from "node:os";
import { asFailure } from "../../core/failure.ts";
import type { Logger } from "../../core/logger.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { packageVersion } from "../../core/package-version.ts";
import type { RunReport, TenantRun } from "../../schemas/generated/types.ts";
import { withSourcePool } from "../database/connect.ts";
import { withDatabaseUrl } from "../database/with-database-url.ts";
import { type CliSettings, commandLogger, type Shell } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { createFollowLive } from "../snapshot/live-copy.ts";
import { requireSourceStructure } from "../source/require-structure.ts";
import { sourceLimits } from "../source/source-limits.ts";
import { requireConditionalWrites } from "../store-check/probe-conditional-writes.ts";
import { buildRun, type RunOptions, storeRunReport } from "./build-run.ts";
import { contentRules } from "./content-rules.ts";
import { generatorDigest, recipeDigest } from "./recipe.ts";
import { knownTenants, sessionConfirmations } from "./session-confirmations.ts";
import { withTenantClaims } from "./tenant-claims.ts";

/** What a command decides about a run; the settings decide the rest. */
export type RunChoices = Pick<
  RunOptions,
  "tenants" | "unknownTenants" | "concurrency" | "onInvalid" | "allowShrink" | "rewrite" | "dryRun"
>;

/** Source and store, open for any number of runs. */
export interface BuildSession {
  readonly databaseUrl: string;
  /** Runs a build, with a log line per tenant. Throws nothing: see the report's `failure`. */
  build(choices: RunChoices): Promise<RunReport>;
  /** Stores the report under `runs/`. It is for support: a run that published is not undone by failing to write it. */
  keepReport(report: RunReport): Promise<void>;
}

/** Hears how far one run is. */
export interface RunProgress {
  total(tenants: number): void;
  tenantDone(): void;
  programs(count: number): void;
  /** The run is over, and something else will be printed. */
  clear(): void;
}

export interface BuildSessionOptions {
  /** Tenants built at a time. */
  readonly concurrency: number;
  /** Called once for each run. */
  readonly createProgress: () => RunProgress;
  /** How often `runs/confirmed.json` may be written while the session lasts; left out: at its end only. */
  readonly confirmationIntervalMs?: number;
}

/** Opens source and store of the settings for runs. */
export async function withBuildSession<Result>(
  shell: Shell,
  settings: CliSettings,
  { concurrency, createProgress, confirmationIntervalMs }: BuildSessionOptions,
  use: (session: BuildSession) => Promise<Result>,
): Promise<Result> {
  const logger = commandLogger(shell, settings);
  const generator = generatorDigest();
  return await withStore(settings, (store) =>
    withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections: concurrency + 1, signal: shell.signal }, async (pool) => {
        const beforeFirstWrite = onceDone(async () => {
          // The `file:` driver decides conditions itself; there is nothing to find out about a folder.
          if (settings.storeUrl.kind === "s3") await requireConditionalWrites(store, shell);
        });
        const context = {
          pool,
          store,
          beforeFirstWrite,
          now: shell.now,
          randomBytes: shell.randomBytes,
          signal: shell.signal,
          version: packageVersion(),
          checkSource: requireSourceStructure,
          followLive: createFollowLive(shell, settings),
        };
        const confirmations = sessionConfirmations(store, shell, confirmationIntervalMs);
        let isFirst = true;
        // What the first run promises is fresh from when the operator started the process, later ones from now.
        const startedMsAgo = (): number => (isFirst ? performance.now() : 0);
        const session: BuildSession = {
          databaseUrl,
          async build(choices) {
            const progress = createProgress();
            // A folder may be read-only, too.
            if (choices.dryRun) await requireConditionalWrites(store, shell);
            const scope = claimScope(choices, settings, shell.env);
            const report = await withTenantClaims(databaseUrl, scope, startedMsAgo(), (claims) =>
              buildRun(runOptions(choices, settings, generator), {
                ...context,
                claims,
                onTenants: progress.total,
                onProgress: progress.programs,
                onTenantDone: (run) => {
                  progress.tenantDone();
                  if (!choices.dryRun) confirmations.note([run]);
                  logTenant(logger, run);
                },
              }),
            );
            isFirst = false;
            progress.clear();
            const known = knownTenants(report);
            if (known !== undefined) confirmations.noteKnown(known, new Date(report.startedAt));
            return report;
          },
          keepReport: (report) => keepReport(store, report, shell),
        };
        try {
          return await use(session);
        } finally {
          await confirmations.flush();
        }
      }),
    ),
  );
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

/** Equal for runs that would publish the same content to the same place. A folder is a place of one machine. */
function claimScope(choices: RunChoices, settings: CliSettings, env: Shell["env"]): string {
  const { storeUrl, legacyCapacity, terminalStatuses } = settings;
  const { onInvalid, allowShrink, rewrite, dryRun } = choices;
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_PROFILE } = env;
  const place =
    storeUrl.kind === "file" ? hostname() : [AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL, AWS_PROFILE];
  return JSON.stringify([
    [place, storeUrl],
    [legacyCapacity, terminalStatuses, sourceLimits(settings), onInvalid, allowShrink, rewrite, dryRun],
  ]);
}

function runOptions(choices: RunChoices, settings: CliSettings, generator: string): RunOptions {
  const { terminalStatuses, legacyCapacity } = settings;
  const rules = contentRules(settings);
  const recipe = recipeDigest(generator, [terminalStatuses, legacyCapacity, rules.limits]);
  return { ...choices, rules, recipe, terminalStatuses };
}

async function keepReport(store: ObjectStore, report: RunReport, shell: Shell): Promise<void> {
  try {
    await storeRunReport(store, report);
  } catch (error) {
    shell.stderr.write(`partner-programs: the run report was not stored: ${asFailure(error).message}\n`);
  }
}

function logTenant(logger: Logger, run: TenantRun): void {
  const { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts } = run;
  const level = failure === null ? "info" : "error";
  logger[level](
    { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts },
    `tenant ${outcome}`,
  );
}
