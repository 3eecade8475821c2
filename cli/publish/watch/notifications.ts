import { setTimeout as delay } from "node:timers/promises";
import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/logger.ts";
import { createClient, type DatabaseUrl, endClient } from "../../database/source-client.ts";

export interface NotificationEvents {
  /** `undefined`: anything may have changed. */
  onChange(tenantId: TenantId | undefined): void;
  /** From now on every change is heard. Changes since the last `onDeaf` were not. */
  onListening(): void;
  onDeaf(): void;
}

export interface ListeningOptions {
  readonly databaseUrl: DatabaseUrl;
  readonly events: NotificationEvents;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly pauses?: ListeningPauses;
}

interface ListeningPauses {
  /** How often the session is asked whether it is still there. */
  readonly askMs: number;
  /** How long its answer may take. */
  readonly answerMs: number;
  /** From a session that was lost to the next attempt. */
  readonly reconnectMs: number;
}

const channel = "partner_source_changed";

/**
 * Listens for `NOTIFY partner_source_changed` until the signal, in one session after another. `first` resolves after the first
 * attempt to listen, even a failed one; `ended` after the signal. A lost session is no failure, because the interval of `snapshot
 * watch` keeps data fresh.
 */
export function listenForChanges(options: ListeningOptions): {
  readonly first: Promise<void>;
  readonly ended: Promise<void>;
} {
  const { events, logger, signal, pauses = usualPauses } = options;
  let onAttempted = (): void => {};
  const first = new Promise<void>((resolve) => {
    onAttempted = resolve;
  });
  let isDown = false;

  async function listen(): Promise<void> {
    while (!signal.aborted) {
      try {
        await listenOnce({ ...options, pauses }, () => {
          if (isDown) logger.info("notifications are back; whatever changed meanwhile is built now");
          isDown = false;
          events.onListening();
          onAttempted();
        });
      } catch {
        onAttempted();
        if (signal.aborted) return;
        if (!isDown) {
          logger.warn("notifications are down: the booking database cannot be listened to; trying again");
        }
        isDown = true;
        events.onDeaf();
        await delay(pauses.reconnectMs, undefined, { signal }).catch(() => {});
      }
    }
    onAttempted();
  }

  return { first, ended: listen() };
}

const usualPauses: ListeningPauses = { askMs: 10_000, answerMs: 5000, reconnectMs: 2000 };

/** Listens until the session is lost or the signal aborts; throws then. */
async function listenOnce(
  { databaseUrl, events, signal, pauses }: ListeningOptions & { readonly pauses: ListeningPauses },
  onListening: () => void,
): Promise<void> {
  const client = createClient(databaseUrl, {
    application_name: "partner-programs watch",
    query_timeout: pauses.answerMs,
    // The session may hear nothing for hours.
    keepAliveInitialDelayMillis: 10_000,
  });
  const over = new AbortController();
  const end = (): void => over.abort();
  client.on("error", end).on("end", end);
  signal.addEventListener("abort", end);
  client.on("notification", (message) => {
    if (message.channel === channel) events.onChange(tenantOf(message.payload));
  });
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    onListening();
    for (;;) {
      await delay(pauses.askMs, undefined, { signal: over.signal });
      // P36: TCP's keepalive does not find a session that a proxy keeps open towards us, and that hears nothing any more.
      await client.query("SELECT");
    }
  } finally {
    signal.removeEventListener("abort", end);
    await endClient(client);
  }
}

/** The payload begins with a tenant's id; what follows a space is ignored. Any other payload may mean all tenants. */
function tenantOf(payload = ""): TenantId | undefined {
  const [tenantId = ""] = payload.split(" ", 1);
  return isTenantId(tenantId) ? tenantId : undefined;
}
