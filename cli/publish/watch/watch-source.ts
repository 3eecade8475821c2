import type { TenantId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/logger.ts";
import { buildInfo } from "../../../core/package-version.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { BuildSession, RunRequest } from "../run/build-session.ts";
import { inShard, type Shard } from "../run/choose-tenants.ts";
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
  /** Where the listener for health and metrics is, when there is one. */
  readonly onAdmin: (address: string) => void;
}

/** Builds what changes, until the signal. */
export async function watchSource(options: WatchOptions): Promise<void> {
  const { session, shard, logger, signal } = options;
  logger.info({ ...buildInfo() }, "watching the source");
  const state = { waiting: () => 0, isListening: false };
  await withWatchAdmin({ ...options, store: session.store, state }, async (onRunEnded) => {
    async function build(kind: RunKind, request: Pick<RunRequest, "wanted" | "schedule">): Promise<void> {
      const report = await session.build(request);
      if (report.outcome !== "interrupted") onRunEnded(report, kind);
    }

    const queue = createTenantQueue({
      ...options,
      buildRound: (schedule) => build("round", { wanted: { kind: "all", shard }, schedule }),
      buildNotified: (id) => build("notified", { wanted: { kind: "notified", tenantIds: [id] } }),
    });
    state.waiting = queue.waiting;
    let running: Promise<void> | undefined;
    await listenForChanges({
      databaseUrl: session.databaseUrl,
      events: {
        onChange(tenantId: TenantId | undefined): void {
          if (tenantId === undefined) queue.notifyAll();
          else if (inShard(tenantId, shard)) queue.notify(tenantId);
        },
        onListening(isListening): void {
          state.isListening = isListening;
          // Changes were missed while nobody listened. At the start the first round is still to come.
          if (isListening && running !== undefined) queue.notifyAll();
          // A build that begins from now on reads no older data than what is heard.
          running ??= queue.run();
        },
      },
      logger,
      signal,
    });
    await running;
  });
}
