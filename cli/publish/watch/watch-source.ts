import type { Logger } from "../../../core/logger.ts";
import { buildInfo } from "../../../core/package-version.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { BuildSession, RunProgress } from "../run/build-session.ts";
import { inShard, type Shard } from "../run/shard.ts";
import { listenForChanges, type NotificationEvents } from "./notifications.ts";
import { createTenantQueue } from "./tenant-queue.ts";
import { createWatchBuilds, type RunKind } from "./watch-builds.ts";
import type { MetricSources } from "./watch-metrics.ts";

interface WatchOptions {
  readonly session: BuildSession;
  readonly settings: CliSettings;
  readonly concurrency: number;
  readonly intervalMs: number;
  /** The part of all tenants that this watch builds. */
  readonly shard: Shard | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly progressOf: (kind: RunKind) => RunProgress;
  /** When this process began a new store, if it did. */
  readonly storeBegunAt: () => Date | undefined;
  /** Where the listener for health and metrics is, when there is one. */
  readonly onAdmin: (address: string) => void;
  /** Called once after each run of a notified tenant or of all, unless the run was interrupted. */
  readonly afterRun: (report: RunReport) => Promise<void>;
}

/** Builds what changes, until the signal. */
export async function watchSource(options: WatchOptions): Promise<void> {
  const { session, concurrency, intervalMs, shard, logger, signal, progressOf } = options;
  const clock = (): number => performance.now();
  logger.info({ ...buildInfo() }, "watching the source");
  const queue = createTenantQueue({ concurrency, intervalMs });
  const health = new RoundHealth(intervalMs);
  const confirmed = new ConfirmedTenants();
  let isListening = false;

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
      shard,
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
    let hasBegun = false;
    const look = (): void => {
      if (hasBegun) builds.look();
    };
    const events: NotificationEvents = {
      onChange(tenantId) {
        if (tenantId === undefined) queue.notifyAll();
        else if (shard === undefined || inShard(tenantId, shard)) queue.notify(tenantId);
        look();
      },
      onListening() {
        isListening = true;
        // Changes were missed while nobody listened. At the start the first round is still to come.
        if (hasBegun) queue.notifyAll();
        look();
      },
      onDeaf() {
        isListening = false;
      },
    };
    const listening = listenForChanges({ databaseUrl: session.databaseUrl, events, logger, signal });
    // A build that begins from now on reads no older data than what is heard.
    await listening.first;
    hasBegun = true;
    builds.look();
    await Promise.all([builds.ended(), listening.ended]);
  });
}

/**
 * Whether rounds of all get through, so that a supervisor can restart a watch that is stuck. A watch is ready when a round has got
 * through within the last three intervals and twice the length of that round.
 */
export class RoundHealth {
  readonly #intervalMs: number;
  #why = "";
  #last: { readonly endedMs: number; readonly tookMs: number } | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** `failureCode`: why the round failed as a whole; `undefined` when it got through, also when single tenants failed. */
  roundEnded(nowMs: number, tookMs: number, failureCode: string | undefined): void {
    this.#why = failureCode === undefined ? "" : `; the last one failed: ${failureCode}`;
    if (failureCode === undefined) this.#last = { endedMs: nowMs, tookMs };
  }

  /** Why it is not ready; `undefined` while it is. */
  notReadyCause(nowMs: number): string | undefined {
    if (this.#last === undefined) return `no round of all tenants has got through yet${this.#why}`;
    const ageMs = nowMs - this.#last.endedMs;
    if (ageMs <= 3 * this.#intervalMs + 2 * this.#last.tookMs) return undefined;
    return `the last round of all tenants that got through ended ${Math.round(ageMs / 1000)} s ago${this.#why}`;
  }
}

/** When each tenant's live snapshot was last found to be what the source says, as far as this process knows. */
class ConfirmedTenants {
  /** Milliseconds since 1970, for each tenant of the source. */
  readonly atMs = new Map<string, number>();

  /** To be called when a tenant's build has just ended. */
  note({ tenantId, confirmedAt = null }: TenantRun): void {
    if (confirmedAt !== null) this.atMs.set(tenantId, Date.parse(confirmedAt));
  }

  /** Forgets the tenants that a round of all did not find in the source. */
  keepOnly(round: RunReport): void {
    const listed = new Set(round.tenants.map(({ tenantId }) => tenantId));
    for (const tenantId of this.atMs.keys()) if (!listed.has(tenantId)) this.atMs.delete(tenantId);
  }
}

/** Hears of each run, for whoever asks the listener. */
interface WatchAdmin {
  /** As a URL; `undefined` when there is no listener. */
  readonly address: string | undefined;
  run(report: RunReport, kind: RunKind): void;
}

/** Runs with the listener of the settings. Its code is loaded only when the settings ask for it. */
async function withWatchAdmin<Result>(
  { adminHost: host, watchAdminPort: port, adminHostNames }: CliSettings,
  sources: MetricSources & { readonly notReadyCause: () => string | undefined },
  use: (admin: WatchAdmin) => Promise<Result>,
): Promise<Result> {
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
