import { setTimeout as delay } from "node:timers/promises";
import { isTenantId, type TenantId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/logger.ts";
import { createClient, type DatabaseUrl, endClient } from "../../database/source-client.ts";

export interface NotificationEvents {
  /** `undefined`: anything may have changed. */
  onChange(tenantId: TenantId | undefined): void;
  /** `true`: from now on every change is heard. `false`: an attempt failed, or a session was lost; changes since then are not heard. */
  onListening(isListening: boolean): void;
}

export interface ListeningOptions {
  readonly databaseUrl: DatabaseUrl;
  readonly events: NotificationEvents;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** How often the session is asked whether it is there, how long it may take to answer, and when a lost one is replaced. */
  readonly pauses?: { readonly askMs: number; readonly answerMs: number; readonly reconnectMs: number };
}

const channel = "partner_source_changed";

/** Listens until the signal, in one session after another. A lost one is no failure: the interval keeps data fresh. */
export async function listenForChanges({
  databaseUrl,
  events,
  logger,
  signal,
  pauses = { askMs: 10_000, answerMs: 5000, reconnectMs: 2000 },
}: ListeningOptions): Promise<void> {
  let isDown = false;
  while (!signal.aborted) {
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
      if (isDown) logger.info("notifications are back; whatever changed meanwhile is built now");
      isDown = false;
      events.onListening(true);
      for (;;) {
        await delay(pauses.askMs, undefined, { signal: over.signal });
        // P182: TCP's keepalive does not find a session that a proxy keeps open towards us, and that hears nothing any more.
        await client.query("SELECT");
      }
    } catch {
      if (signal.aborted) return;
      const problem = "notifications are down: the booking database cannot be listened to; trying again";
      if (!isDown) logger.warn(problem);
      isDown = true;
      events.onListening(false);
    } finally {
      signal.removeEventListener("abort", end);
      await endClient(client);
    }
    await delay(pauses.reconnectMs, undefined, { signal }).catch(() => {});
  }
}

/** The payload begins with a tenant's id; what follows a space is ignored. Any other payload may mean all tenants. */
function tenantOf(payload = ""): TenantId | undefined {
  const [tenantId = ""] = payload.split(" ", 1);
  return isTenantId(tenantId) ? tenantId : undefined;
}
