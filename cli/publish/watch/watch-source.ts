import type { TenantId } from "../../../core/ground/ids.ts";
import type { Logger } from "../../../core/process/logger.ts";
import type { Shell } from "../../shell/shell.ts";
import type { BuildSession, RunRequest } from "../run/build-session.ts";
import { inShard, type Shard } from "../snapshot/stored-tenants.ts";
import { listenForChanges, type NotificationEvents } from "./notifications.ts";
import { TenantQueue } from "./tenant-queue.ts";
import { createToldNames } from "./told-names.ts";
import { type RunKind, withWatchAdmin } from "./watch-admin.ts";

export interface WatchOptions {
  readonly shard: Shard | undefined;
  readonly concurrency: number;
  readonly intervalMs: number;
  readonly logger: Logger;
}

/** Builds a tenant when the source says it changed, and all tenants each interval, until the signal. */
export async function watchSource(shell: Shell, session: BuildSession, options: WatchOptions): Promise<void> {
  const { intervalMs, logger } = options;
  const state = {
    waiting: () => 0,
    overdue: () => 0,
    isListening: false,
    isUnrecorded: () => session.isUnrecorded(),
  };
  await withWatchAdmin(shell, session.store, intervalMs, state, async (onRunEnded) => {
    const run = async (kind: RunKind, request: RunRequest): Promise<void> => {
      const report = await session.build(request);
      if (report.outcome !== "interrupted") onRunEnded(report, kind);
    };
    const { queue, names } = tenantQueue(shell, session, options, run);
    state.waiting = () => queue.waiting();
    state.overdue = () => queue.overdue();
    let running: Promise<void> | undefined;
    const events: NotificationEvents = {
      onChange(tenantId) {
        if (tenantId === undefined) queue.notifyAll();
        else names.told(tenantId);
      },
      onListening(isListening) {
        state.isListening = isListening;
        // Changes were missed while nobody listened. At the start the first round is still to come.
        if (isListening && running !== undefined) queue.notifyAll();
        // A build that begins from now on reads no older data than what is heard.
        running ??= queue.run();
      },
    };
    const { databaseUrl, pool } = session;
    await listenForChanges({ databaseUrl, pool, events, logger, signal: shell.signal });
    await running;
  });
}

/** The queue of builds, and the names that it is told of. */
function tenantQueue(
  { now, signal }: Shell,
  { pool, store }: BuildSession,
  { shard, concurrency, intervalMs, logger }: WatchOptions,
  run: (kind: RunKind, request: RunRequest) => Promise<void>,
) {
  const queue = new TenantQueue({
    concurrency,
    intervalMs,
    signal,
    now,
    async buildRound(schedule) {
      const ended = names.roundBegins();
      await run("round", { wanted: { kind: "all", shard }, schedule });
      ended();
    },
    buildNotified: (id) => run("notified", { wanted: { kind: "notified", tenantIds: [id] } }),
    onOverdue: (tenantId) =>
      logger.warn({ tenantId }, "the tenant's build is overdue: the others do not wait for it any more"),
  });
  const onTenant = (id: TenantId): void => {
    if (inShard(id, shard)) queue.notify(id);
  };
  const onAnything = (): void => queue.notifyAll();
  const names = createToldNames({ pool, store, intervalMs, signal, onTenant, onAnything });
  return { queue, names };
}
