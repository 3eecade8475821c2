import { once } from "node:events";
import type { TenantId } from "../../../core/ids.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import type { BuildSchedule, TryBuild } from "../run/build-schedule.ts";
import type { BuildSession, RunProgress } from "../run/build-session.ts";
import { createRightOfWay } from "../run/patience.ts";
import type { Task, TenantQueue } from "./tenant-queue.ts";

export interface WatchBuildsOptions {
  readonly queue: TenantQueue;
  readonly session: Pick<BuildSession, "build">;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  readonly progressOf: (kind: RunKind) => RunProgress;
  readonly onTenantDone: (run: TenantRun) => void;
  /** Called once after each run of a told tenant or of all. */
  readonly afterRun: (report: RunReport, kind: RunKind) => Promise<void>;
  readonly signal: AbortSignal;
}

export type RunKind = "told" | "round";

/** Begins what the queue says, until the signal. */
export interface WatchBuilds {
  /** Asks the queue what to begin. Call it after each event that the queue was told of. */
  look(): void;
  /** Resolves after the signal, when nothing is under way any more. */
  ended(): Promise<void>;
}

export function createWatchBuilds(options: WatchBuildsOptions): WatchBuilds {
  const { queue, session, clock, signal, onTenantDone } = options;
  const rightOfWay = createRightOfWay(maxStandStillMs, clock);
  const underWay = new Set<Promise<void>>();
  /** Builds that wait for their turn in the round, and those that wait for another try. */
  const waiting = { turn: new Map<TenantId, () => void>(), again: new Map<TenantId, () => void>() };
  let alarm: NodeJS.Timeout | undefined;
  const onSignal = (): void => {
    clearTimeout(alarm);
    // Each build sees the signal and ends by itself.
    for (const turns of Object.values(waiting)) for (const onTurn of turns.values()) onTurn();
  };
  if (signal.aborted) onSignal();
  else signal.addEventListener("abort", onSignal, { once: true });

  function look(): void {
    clearTimeout(alarm);
    if (signal.aborted) return;
    for (let task = queue.next(clock()); task !== undefined; task = queue.next(clock())) begin(task);
    const inMs = Math.min(queue.wakeAtMs() - clock(), maxTimerMs);
    alarm = setTimeout(look, Math.max(1, Math.ceil(inMs)));
  }

  function begin(task: Task): void {
    switch (task.kind) {
      case "round":
        follow(buildRound());
        break;
      case "told":
        follow(buildTold(task.tenantId, task.hintedPrograms));
        break;
      case "turn":
      case "again":
        waiting[task.kind].get(task.tenantId)?.();
    }
  }

  function follow(work: Promise<void>): void {
    const followed = work.finally(() => underWay.delete(followed));
    underWay.add(followed);
  }

  function turn(kind: "turn" | "again", tenantId: TenantId): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      waiting[kind].set(tenantId, () => {
        waiting[kind].delete(tenantId);
        resolve();
      });
    });
  }

  /** Builds the tenant in a slot of the queue, again and again until no other builder has the tenant. */
  async function build(tenantId: TenantId, tryBuild: TryBuild, begin: () => () => void): Promise<boolean> {
    for (;;) {
      const end = begin();
      const outcome = await tryBuild(tenantId).finally(end);
      if (outcome !== "taken") return live.has(outcome);
      const another = turn("again", tenantId);
      queue.taken(tenantId, clock());
      look();
      await another;
    }
  }

  async function buildRound(): Promise<void> {
    const schedule: BuildSchedule = async (tenants, tryBuild) => {
      const builds = tenants.map(async (tenantId) => {
        await turn("turn", tenantId);
        const isLive = await build(tenantId, tryBuild, () => () => {});
        queue.ended(tenantId, isLive);
        look();
      });
      queue.roundListed(tenants);
      look();
      await Promise.all(builds);
    };
    const progress = options.progressOf("round");
    const report = await session.build({
      wanted: { kind: "all" },
      schedule,
      giveWay: rightOfWay.give,
      progress,
      onTenantDone,
    });
    queue.roundEnded();
    look();
    await options.afterRun(report, "round");
  }

  async function buildTold(
    tenantId: TenantId,
    hintedPrograms: ReadonlySet<string> | undefined,
  ): Promise<void> {
    let isLive = false;
    const schedule: BuildSchedule = async ([listed], tryBuild) => {
      if (listed !== undefined) isLive = await build(listed, tryBuild, rightOfWay.take);
    };
    const progress = options.progressOf("told");
    const report = await session.build({
      wanted: { kind: "told", tenantId, hintedPrograms },
      schedule,
      progress,
      onTenantDone,
    });
    queue.ended(tenantId, isLive);
    look();
    await options.afterRun(report, "told");
  }

  return {
    look,
    async ended() {
      if (!signal.aborted) await once(signal, "abort");
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Outcomes after which the live snapshot shows what the source said when the build began, or later. */
const live: ReadonlySet<string> = new Set(["published", "unchanged", "elsewhere"]);
/** How long the round waits for told builds: long enough for one or two tenants of a thousand programs. */
const maxStandStillMs = 1000;
/** A day. Node's timers end at 24 days, and a round is due at least once a day. */
const maxTimerMs = 86_400_000;
