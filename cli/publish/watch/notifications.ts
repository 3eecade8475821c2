import { setTimeout as delay } from "node:timers/promises";
import { isProgramId, isTenantId, type TenantId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/logger.ts";
import { type DatabaseUrl, endClient, listeningClient } from "../../database/source-client.ts";

export interface NotificationEvents {
  /** `undefined`: everything changed. */
  onChange(change: ToldChange | undefined): void;
  /** From now on every change is heard. Changes since the last `onDeaf` were not. */
  onListening(): void;
  onDeaf(): void;
}

const channel = "partner_source_changed";
const reconnectMs = 2000;

/**
 * Runs `use` while a connection listens for `NOTIFY partner_source_changed`. The promise for `use` resolves after the first
 * attempt to listen, even a failed one. A broken connection is no failure, because the interval of `snapshot watch` keeps data
 * fresh.
 */
export async function withNotifications<Result>(
  databaseUrl: DatabaseUrl,
  events: NotificationEvents,
  logger: Logger,
  signal: AbortSignal,
  use: (firstAttempt: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const closing = new AbortController();
  let onAttempted = (): void => {};
  const firstAttempt = new Promise<void>((resolve) => {
    onAttempted = resolve;
  });
  const stopped = AbortSignal.any([signal, closing.signal]);
  stopped.addEventListener("abort", () => onAttempted(), { once: true });
  let isDown = false;

  async function listen(): Promise<void> {
    while (!stopped.aborted) {
      try {
        await listenOnce(databaseUrl, stopped, events, () => {
          if (isDown) logger.info("notifications are back; whatever changed meanwhile is built now");
          isDown = false;
          events.onListening();
          onAttempted();
        });
      } catch {
        if (stopped.aborted) return;
        if (!isDown) {
          logger.warn("notifications are down: the booking database cannot be listened to; trying again");
        }
        isDown = true;
        events.onDeaf();
        onAttempted();
        await delay(reconnectMs, undefined, { signal: stopped }).catch(() => {});
      }
    }
  }

  const listening = listen();
  try {
    return await use(firstAttempt);
  } finally {
    closing.abort();
    await listening;
  }
}

/** Listens until the connection breaks (throws) or `signal` aborts. */
async function listenOnce(
  databaseUrl: DatabaseUrl,
  signal: AbortSignal,
  events: NotificationEvents,
  onListening: () => void,
): Promise<void> {
  const client = listeningClient(databaseUrl, "watch");
  let onAbort = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended")));
    onAbort = resolve;
  });
  signal.addEventListener("abort", onAbort, { once: true });
  ended.catch(() => {});
  client.on("notification", ({ channel: name, payload = "" }) => {
    if (name === channel) events.onChange(toldChange(payload));
  });
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    onListening();
    await ended;
  } finally {
    signal.removeEventListener("abort", onAbort);
    await endClient(client);
  }
}

export interface ToldChange {
  readonly tenantId: TenantId;
  readonly program: string | undefined;
}

/**
 * The payload is `<tenant id>` or `<tenant id> <program id>`; any other means everything (`undefined`). An id that no program can
 * have may still be a row's, so it stands for the whole tenant.
 */
export function toldChange(payload: string): ToldChange | undefined {
  const [tenantId = "", program, ...rest] = payload.split(" ");
  if (!isTenantId(tenantId) || program === "" || rest.length > 0) return undefined;
  return { tenantId, program: program !== undefined && isProgramId(program) ? program : undefined };
}
