import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { TenantId } from "../../../core/ids.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { BuildSchedule } from "../run/build-schedule.ts";
import type { BuildSession, RunProgress } from "../run/build-session.ts";
import type { Shard } from "../run/shard.ts";
import type { TenantQueue } from "./tenant-queue.ts";

/** `notified`: the run of a tenant that a notification named. */
export type RunKind = "notified" | "round";

export interface WatchBuildsOptions {
  readonly queue: TenantQueue;
  readonly session: Pick<BuildSession, "build">;
  /** The part of all tenants that a round builds. */
  readonly shard: Shard | undefined;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  readonly progressOf: (kind: RunKind) => RunProgress;
  readonly onTenantDone: (run: TenantRun) => void;
  /** Called once after each run. */
  readonly afterRun: (report: RunReport, kind: RunKind) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Begins what the queue says, until the signal. */
export interface WatchBuilds {
  /** Asks the queue what to begin. Call it after each event that the queue was told of. */
  look(): void;
  /** Resolves after the signal, when nothing is under way any more. */
  ended(): Promise<void>;
}

export function createWatchBuilds(options: WatchBuildsOptions): WatchBuilds {
  const { queue, session, shard, clock, signal, progressOf, onTenantDone, afterRun } = options;
  const underWay = new Set<Promise<void>>();
  /** The tenants of the round that wait for their turn. */
  const turns = new Map<TenantId, () => void>();
  let alarm: NodeJS.Timeout | undefined;

  function look(): void {
    clearTimeout(alarm);
    if (signal.aborted) return;
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
      while ((await build(tenantId)) === "taken") await delay(500, undefined, { signal }).catch(() => {});
      queue.ended(tenantId);
      look();
    });
    queue.roundListed(tenants);
    look();
    await Promise.all(builds);
  };

  async function buildRound(): Promise<void> {
    const report = await session.build({
      wanted: { kind: "all", shard },
      schedule: inTurns,
      progress: progressOf("round"),
      onTenantDone,
    });
    turns.clear();
    queue.roundEnded(clock());
    look();
    await afterRun(report, "round");
  }

  async function buildNotified(tenantId: TenantId): Promise<void> {
    const report = await session.build({
      wanted: { kind: "notified", tenantId },
      progress: progressOf("notified"),
      onTenantDone,
    });
    queue.ended(tenantId);
    look();
    await afterRun(report, "notified");
  }

  return {
    look,
    async ended() {
      if (!signal.aborted) await once(signal, "abort");
      clearTimeout(alarm);
      // Each build sees the signal and ends by itself.
      for (const begin of turns.values()) begin();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** A day. Node's timers end at 24 days, and a round is due at least once a day. */
const maxTimerMs = 86_400_000;
