import { once } from "node:events";
import type { TenantId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/logger.ts";
import { buildInfo } from "../../../core/package-version.ts";
import type { RunReport } from "../../../schemas/generated/types.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { BuildSchedule } from "../run/build-run.ts";
import type { BuildSession, RunProgress } from "../run/build-session.ts";
import { inShard, type Shard } from "../run/shard.ts";
import { listenForChanges } from "./notifications.ts";
import { createTenantQueue } from "./tenant-queue.ts";
import { type RunKind, withWatchAdmin } from "./watch-admin.ts";

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
  /** Where the listener for health and metrics is, when there is one. */
  readonly onAdmin: (address: string) => void;
  /** Called once after each run of a notified tenant or of all, unless the run was interrupted. */
  readonly afterRun: (report: RunReport) => Promise<void>;
}

/** Builds what changes, until the signal. */
export async function watchSource(options: WatchOptions): Promise<void> {
  const { session, settings, shard, logger, signal, progressOf } = options;
  logger.info({ ...buildInfo() }, "watching the source");
  const clock = (): number => performance.now();
  const queue = createTenantQueue(options);
  const underWay = new Set<Promise<void>>();
  /** The tenants of the round that wait for their turn. */
  const turns = new Map<TenantId, () => void>();
  let isListening = false;
  let hasBegun = false;
  let alarm: NodeJS.Timeout | undefined;

  const { intervalMs, onAdmin } = options;
  const sources = { waiting: queue.waiting, isListening: () => isListening };
  await withWatchAdmin({ settings, intervalMs, sources, clock, onAdmin }, async (admin) => {
    /** Begins what the queue says. Called after each event that the queue hears of. */
    function look(): void {
      clearTimeout(alarm);
      if (signal.aborted || !hasBegun) return;
      for (let task = queue.next(clock()); task !== undefined; task = queue.next(clock())) {
        if (task.kind === "round") follow(buildRound());
        else if (task.kind === "notified") follow(buildNotified(task.tenantId));
        else turns.get(task.tenantId)?.();
      }
      const inMs = Math.min(queue.wakeAtMs() - clock(), maxTimerMs);
      alarm = setTimeout(look, Math.max(1, Math.ceil(inMs)));
    }

    function follow(work: Promise<void>): void {
      const followed = work.finally(() => underWay.delete(followed));
      underWay.add(followed);
    }

    const inTurns: BuildSchedule = async (tenants, build) => {
      const builds = tenants.map(async (tenantId) => {
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else turns.set(tenantId, resolve);
        });
        await build(tenantId);
        queue.ended(tenantId);
        look();
      });
      queue.roundListed(tenants);
      look();
      await Promise.all(builds);
    };

    async function buildRound(): Promise<void> {
      const wanted = { kind: "all", shard } as const;
      const progress = progressOf("round");
      const report = await session.build({ wanted, schedule: inTurns, progress, onTenantDone });
      turns.clear();
      queue.roundEnded(clock());
      await after(report, "round");
    }

    async function buildNotified(tenantId: TenantId): Promise<void> {
      const wanted = { kind: "notified", tenantId } as const;
      const report = await session.build({ wanted, progress: progressOf("notified"), onTenantDone });
      queue.ended(tenantId);
      await after(report, "notified");
    }

    const onTenantDone = admin.tenantDone;

    async function after(report: RunReport, kind: RunKind): Promise<void> {
      look();
      if (report.outcome === "interrupted") return;
      await admin.runEnded(report, kind);
      await options.afterRun(report);
    }

    const events = {
      onChange(tenantId: TenantId | undefined): void {
        if (tenantId === undefined) queue.notifyAll();
        else if (shard === undefined || inShard(tenantId, shard)) queue.notify(tenantId);
        look();
      },
      onListening(): void {
        isListening = true;
        // Changes were missed while nobody listened. At the start the first round is still to come.
        if (hasBegun) queue.notifyAll();
        look();
      },
      onDeaf(): void {
        isListening = false;
      },
    };
    const listening = listenForChanges({ databaseUrl: session.databaseUrl, events, logger, signal });
    // A build that begins from now on reads no older data than what is heard.
    await listening.first;
    hasBegun = true;
    look();
    if (!signal.aborted) await once(signal, "abort");
    clearTimeout(alarm);
    // Each build sees the signal and ends by itself.
    for (const begin of turns.values()) begin();
    while (underWay.size > 0) await Promise.all(underWay);
    await listening.ended;
  });
}

/** A day. Node's timers end at 24 days, and a round is due at least once a day. */
const maxTimerMs = 86_400_000;
