import { forEachBounded } from "../../../core/bounded-work.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { type SourcePool, withSourcePool } from "../../database/connect.ts";
import type { DatabaseUrl } from "../../database/source-client.ts";
import { refuseDemoStore, withDatabaseUrl } from "../../database/with-database-url.ts";
import { noProgress, type RunProgress } from "../../output/progress-bar.ts";
import { commandLogger, isReadByPeople } from "../../shell/command-logger.ts";
import { requireConditionalWrites } from "../../shell/conditional-writes.ts";
import { identifiedStore } from "../../shell/identified-store.ts";
import { type CliSettings, type Shell, withStore } from "../../shell/shell.ts";
import { createFollowLive } from "../snapshot/live-tree.ts";
import type { BuildOptions } from "../tenant/build-context.ts";
import { type BuildSchedule, buildRun } from "./build-run.ts";
import type { WantedTenants } from "./choose-tenants.ts";
import { createRunRecorder } from "./run-recorder.ts";

/** What a command adds to its session. */
export interface SessionHooks {
  /** How often `runs/confirmed.json` may be written while the session lasts; left out: at its end only. */
  readonly confirmationIntervalMs?: number;
  /** The store as the builds see it, where more is to happen with what they write. */
  readonly watchStore?: ((store: ObjectStore) => ObjectStore) | undefined;
  /** How many builds the schedules have beside those of the concurrency; left out: none. */
  readonly overdue?: number;
  /** Hears of each run that published or found something else than the ones before, unless it was interrupted. */
  readonly onNews?: (report: RunReport) => void;
}

export interface RunRequest {
  readonly wanted: WantedTenants;
  /** Unless given: the tenants side by side, in their order. */
  readonly schedule?: BuildSchedule;
  readonly progress?: RunProgress;
}

/** Source and store, open for any number of runs, also side by side. */
export interface BuildSession {
  readonly databaseUrl: DatabaseUrl;
  readonly pool: SourcePool;
  readonly store: ObjectStore;
  /**
   * Runs a build, with a log line per tenant. Stores its report under `runs/` for support, if there is a store and the report says
   * anything new. Throws nothing: see the report's `failure`.
   */
  build(request: RunRequest): Promise<RunReport>;
  /** Whether what runs found could not be stored lately, or not all of it. */
  isUnrecorded(): boolean;
}

export async function withBuildSession<Result>(
  shell: Shell,
  settings: CliSettings,
  options: BuildOptions,
  { confirmationIntervalMs, watchStore, overdue = 0, onNews }: SessionHooks,
  use: (session: BuildSession) => Promise<Result>,
): Promise<Result> {
  const { signal, now, randomBytes } = shell;
  const { dryRun, concurrency } = options;
  const logger = commandLogger(shell, settings);
  await refuseDemoStore(settings);

  async function run(opened: ObjectStore, databaseUrl: DatabaseUrl, pool: SourcePool): Promise<Result> {
    const identified = identifiedStore(opened, settings, shell);
    const store = watchStore?.(identified) ?? identified;
    const recorder = createRunRecorder(identified, shell, confirmationIntervalMs);
    const news = createNews();
    const sideBySide: BuildSchedule = async (tenants, build) => {
      await forEachBounded(tenants, concurrency, build);
      return [];
    };

    let spotCheckedAtMs = Number.NEGATIVE_INFINITY;
    const isSpotCheckDue = (): boolean => {
      const nowMs = performance.now();
      if (nowMs - spotCheckedAtMs < spotCheckIntervalMs) return false;
      spotCheckedAtMs = nowMs;
      return true;
    };

    const session: BuildSession = {
      databaseUrl,
      pool,
      store,
      async build({ wanted, schedule = sideBySide, progress = noProgress }) {
        // A folder may be read-only, too.
        if (dryRun) await requireConditionalWrites(opened, shell);
        identified.identifyAnew();
        let isTenantNews = false;
        const report = await buildRun(wanted, options, {
          ...{ pool, store, now, randomBytes, signal, schedule, isSpotCheckDue },
          followLive: createFollowLive(shell, settings),
          onTenants: progress.total,
          onProgress: progress.programs,
          onTenantDone: (run, runId) => {
            progress.tenantDone();
            const of = { runId, endedAt: now().toISOString(), onInvalid: options.onInvalid };
            if (!dryRun) recorder.noteTenant(run, of);
            const { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts } = run;
            const isNews = news.isOfTenant(run);
            isTenantNews ||= isNews;
            // A person reads the summary, which says it once. A hold is meant so, and no error.
            const isQuiet = !isNews || isReadByPeople(shell);
            const tone = failure === null ? "info" : outcome === "held" ? "warn" : "error";
            const level = isQuiet ? "debug" : tone;
            const fields = { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts };
            logger[level](fields, `tenant ${outcome}`);
          },
        });
        progress.clear();
        const isNews = news.isOfSource(report) || isTenantNews;
        recorder.note(report, isNews);
        if (isNews && report.outcome !== "interrupted") onNews?.(report);
        return report;
      },
      isUnrecorded: recorder.isFailing,
    };
    try {
      return await use(session);
    } finally {
      await recorder.flush();
    }
  }

  const connections = concurrency + overdue + spareConnections;
  return await withStore(settings, (opened) =>
    withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections, signal }, (pool) => run(opened, databaseUrl, pool)),
    ),
  );
}

/** P224: a command checks once; a watch so often, however short its rounds are. */
const spotCheckIntervalMs = 10 * 60_000;

/** For a round's list of tenants, the question of the shared guard, and what a watch asks, beside the builds. */
const spareConnections = 3;

/** Remembers what the runs of one process have said. */
export function createNews() {
  /** No tenant's id contains a space. */
  const [wholeRound, someTenants] = ["a round", "some tenants"];
  const before = new Map([[someTenants, JSON.stringify([undefined, []])]]);
  const isNew = (subject: string, ...found: readonly unknown[]): boolean => {
    const text = JSON.stringify(found);
    const isOther = before.get(subject) !== text;
    before.set(subject, text);
    return isOther;
  };
  return {
    /** Whether the run published something, or found something else than the tenant's run before. Called once for each. */
    isOfTenant(run: TenantRun): boolean {
      const { tenantId, outcome, snapshotId, previousSnapshotId, failure, leftOut, problemCounts } = run;
      const state = outcome === "published" ? "unchanged" : outcome;
      const isOther = isNew(tenantId, state, failure?.message, leftOut, problemCounts);
      return isOther || (snapshotId !== null && snapshotId !== previousSnapshotId);
    },
    /** Whether the report says something else of the whole source than the one before: of the round, or of some tenants' run. */
    isOfSource: ({ options, failure, problems }: RunReport): boolean =>
      isNew(options.tenants === null ? wholeRound : someTenants, failure?.message, problems),
  };
}
