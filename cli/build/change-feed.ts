import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { isTenantId, type TenantId } from "../../core/ids.ts";
import type { Logger } from "../../core/logger.ts";
import { endClient } from "../database/end-client.ts";

/** What changed in the source since the last look: certain tenants, or who knows what. */
export type Changes =
  | { readonly kind: "tenants"; readonly tenantIds: readonly TenantId[] }
  | { readonly kind: "all" };

/** Listens for `NOTIFY partner_source_changed, '<tenant id>'`. */
export interface ChangeFeed {
  /** The changes since the last call, or `undefined` after `timeoutMs` without any. Throws when `signal` aborts. */
  next(timeoutMs: number, signal: AbortSignal): Promise<Changes | undefined>;
}

const channel = "partner_source_changed";
/** A burst of notifications (an import, a form saved field by field) is built once. */
const settleMs = 250;
const reconnectMs = 2000;

/**
 * Runs with a connection that listens. While it is down notifications are lost, so a reconnection counts as a change of
 * everything. That the feed is down is no failure: the interval of `snapshot watch` is what guarantees freshness.
 */
export async function withChangeFeed<Result>(
  databaseUrl: string,
  logger: Logger,
  run: (feed: ChangeFeed) => Promise<Result>,
): Promise<Result> {
  const changed = new Set<TenantId>();
  let isAllChanged = false;
  let wake: () => void = () => {};
  const closing = new AbortController();

  function note(payload: string | undefined): void {
    if (payload !== undefined && isTenantId(payload)) changed.add(payload);
    else isAllChanged = true;
    wake();
  }

  async function listen(): Promise<void> {
    for (let connections = 0; !closing.signal.aborted; connections += 1) {
      try {
        await listenOnce(databaseUrl, closing.signal, note, () => {
          if (connections > 0) note(undefined);
        });
      } catch {
        logger.warn("no notifications: the connection to the booking database is down; trying again");
        await delay(reconnectMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  function take(): Changes | undefined {
    const tenantIds = [...changed];
    const isAll = isAllChanged;
    changed.clear();
    isAllChanged = false;
    if (isAll) return { kind: "all" };
    return tenantIds.length === 0 ? undefined : { kind: "tenants", tenantIds };
  }

  const listening = listen();
  try {
    return await run({
      async next(timeoutMs, signal) {
        const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        // A signal that was aborted before, by a Ctrl-C during the build, never tells its listeners.
        if (changed.size === 0 && !isAllChanged && !timeout.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            timeout.addEventListener("abort", () => resolve(), { once: true });
          });
        }
        signal.throwIfAborted();
        if (changed.size > 0 || isAllChanged) await delay(settleMs, undefined, { signal });
        return take();
      },
    });
  } finally {
    closing.abort();
    await listening;
  }
}

/** Listens until the connection breaks (throws) or the feed is closed. */
async function listenOnce(
  databaseUrl: string,
  signal: AbortSignal,
  onPayload: (payload: string | undefined) => void,
  onListening: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "partner-programs watch",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const ended = new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended")));
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  ended.catch(() => {});
  client.on("notification", ({ payload }) => onPayload(payload));
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    onListening();
    await ended;
  } finally {
    await endClient(client);
  }
}
