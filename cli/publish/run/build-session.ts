import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import type { Logger } from "../../../core/process/logger.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { type SourcePool, withSourcePool } from "../../database/connect.ts";
import type { DatabaseUrl } from "../../database/source-client.ts";
import { refuseDemoStore, withDatabaseUrl } from "../../database/with-database-url.ts";
import { noProgress, type RunProgress } from "../../output/progress-bar.ts";
import { commandLogger, isReadByPeople } from "../../shell/command-logger.ts";
import { requireConditionalWrites } from "../../shell/conditional-writes.ts";
import { type IdentifiedStore, identifiedStore } from "../../shell/identified-store.ts";
import { type CliSettings, type Shell, withStore } from "../../shell/shell.ts";
import { createFollowLive } from "../snapshot/live-tree.ts";
import type { BuildOptions } from "../tenant/build-context.ts";
import { type BuildSchedule, buildRun } from "./build-run.ts";
import type { WantedTenants } from "./choose-tenants.ts";
import { RunRecorder } from "./run-recorder.ts";

/** What a command adds to its session. */
export interface SessionHooks {
  /** How often `runs/confirmed.json` may be written while the session lasts; left out: at its end only. */
  readonly confirmationIntervalMs?: number;
  /** The store as the builds see it, where more is to happen with what they write. */
  readonly watchStore?: ((store: ObjectStore) => ObjectStore) | undefined;
  /** How many builds the schedules have beside those of the concurrency; left out: none. */
  readonly overdue?: number;
  /** Hears of each run that published or found something new, unless it was interrupted. */
  readonly onNews?: (report: RunReport) => void;
}

export interface RunRequest {
  readonly wanted: WantedTenants;
  /** Unless given: the tenants side by side, in their order. */
  readonly schedule?: BuildSchedule;
  readonly progress?: RunProgress;
}

/** Source and store, open for any number of runs, also side by side. */
export class BuildSession {
  readonly databaseUrl: DatabaseUrl;
  readonly pool: SourcePool;
  /** The store as the builds see it. */
  readonly store: ObjectStore;
  readonly #options: BuildOptions;
  readonly #shell: Shell;
  readonly #settings: CliSettings;
  readonly #hooks: SessionHooks;
  readonly #opened: ObjectStore;
  readonly #identified: IdentifiedStore;
  readonly #recorder: RunRecorder;
  readonly #logger: Logger;
  readonly #news = createNews();
  #spotCheckedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    { databaseUrl, pool, opened }: { databaseUrl: DatabaseUrl; pool: SourcePool; opened: ObjectStore },
    shell: Shell,
    settings: CliSettings,
    options: BuildOptions,
    hooks: SessionHooks,
  ) {
    this.databaseUrl = databaseUrl;
    this.pool = pool;
    this.#opened = opened;
    this.#identified = identifiedStore(opened, settings, shell);
    this.store = hooks.watchStore?.(this.#identified) ?? this.#identified;
    this.#recorder = new RunRecorder(this.#identified, shell, hooks.confirmationIntervalMs);
    this.#logger = commandLogger(shell, settings);
    this.#shell = shell;
    this.#settings = settings;
    this.#options = options;
    this.#hooks = hooks;
  }

  /**
   * Runs a build, with a log line per tenant. Stores its report under `runs/` for support, if there is a
   * store and the report says anything new. Throws nothing: see the report's `failure`.
   */
  async build({ wanted, schedule, progress = noProgress }: RunRequest): Promise<RunReport> {
    const { concurrency, dryRun } = this.#options;
    const sideBySide: BuildSchedule = async (tenants, build) => {
      await forEachBounded(tenants, concurrency, build);
      return [];
    };
    // A folder may be read-only, too.
    if (dryRun) await requireConditionalWrites(this.#opened, this.#shell);
    this.#identified.identifyAnew();
    let isTenantNews = false;
    const report = await buildRun(wanted, this.#options, {
      pool: this.pool,
      store: this.store,
      now: this.#shell.now,
      randomBytes: this.#shell.randomBytes,
      signal: this.#shell.signal,
      schedule: schedule ?? sideBySide,
      isSpotCheckDue: () => this.#isSpotCheckDue(),
      followLive: createFollowLive(this.#shell, this.#settings),
      onTenants: progress.total,
      onProgress: progress.programs,
      onTenantDone: (run, runId) => {
        progress.tenantDone();
        isTenantNews = this.#tenantDone(run, runId) || isTenantNews;
      },
    });
    progress.clear();
    const isNews = this.#news.isOfSource(report) || isTenantNews;
    this.#recorder.note(report, isNews);
    if (isNews && report.outcome !== "interrupted") this.#hooks.onNews?.(report);
    return report;
  }

  /** Whether what runs found could not be stored lately, or not all of it. */
  isUnrecorded(): boolean {
    return this.#recorder.isFailing();
  }

  /** Stores what runs found and is not stored yet. */
  async end(): Promise<void> {
    await this.#recorder.flush();
  }

  #isSpotCheckDue(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#spotCheckedAtMs < spotCheckIntervalMs) return false;
    this.#spotCheckedAtMs = nowMs;
    return true;
  }

  /** Returns whether the run says anything new of the tenant. */
  #tenantDone(run: TenantRun, runId: string): boolean {
    const { dryRun, onInvalid } = this.#options;
    const endedAt = this.#shell.now().toISOString();
    if (!dryRun) this.#recorder.noteTenant(run, { runId, endedAt, onInvalid });
    const { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts } = run;
    const isNews = this.#news.isOfTenant(run);
    // A person reads the summary, which says it once. A hold is meant so, and no error.
    const isQuiet = !isNews || isReadByPeople(this.#shell);
    const tone = failure === null ? "info" : outcome === "held" ? "warn" : "error";
    const fields = { tenantId, outcome, snapshotId, counts, durationMs, failure, problemCounts };
    this.#logger[isQuiet ? "debug" : tone](fields, `tenant ${outcome}`);
    return isNews;
  }
}

export async function withBuildSession<Result>(
  shell: Shell,
  settings: CliSettings,
  options: BuildOptions,
  hooks: SessionHooks,
  use: (session: BuildSession) => Promise<Result>,
): Promise<Result> {
  await refuseDemoStore(settings);
  const connections = options.concurrency + (hooks.overdue ?? 0) + spareConnections;
  return await withStore(settings, (opened) =>
    withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections, signal: shell.signal }, async (pool) => {
        const places = { databaseUrl, pool, opened };
        const session = new BuildSession(places, shell, settings, options, hooks);
        try {
          return await use(session);
        } finally {
          await session.end();
        }
      }),
    ),
  );
}

/** P224: a command checks once; a watch so often, however short its rounds are. */
const spotCheckIntervalMs = 10 * 60_000;

/** For a round's list of tenants, the shared guard's question and a watch's, beside the builds. */
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
    /** Whether the run published or found something new of the tenant. Called once for each run. */
    isOfTenant(run: TenantRun): boolean {
      const { tenantId, outcome, snapshotId, previousSnapshotId, failure, leftOut, problemCounts } = run;
      const state = outcome === "published" ? "unchanged" : outcome;
      const isOther = isNew(tenantId, state, failure?.message, leftOut, problemCounts);
      return isOther || (snapshotId !== null && snapshotId !== previousSnapshotId);
    },
    /** Whether the report says something new of the whole source: of a round, or of some tenants' run. */
    isOfSource: ({ options, failure, problems }: RunReport): boolean =>
      isNew(options.tenants === null ? wholeRound : someTenants, failure?.message, problems),
  };
}
