import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import type { Logger } from "../../../core/process/logger.ts";
import type { SourcePool } from "../../database/connect.ts";
import { createClient, type DatabaseUrl, endClient } from "../../database/source-client.ts";

export interface NotificationEvents {
  /** `undefined`: anything may have changed. */
  onChange(tenantId: TenantId | undefined): void;
  /** `true`: every change is heard from now on. `false`: none is, since an attempt or a session failed. */
  onListening(isListening: boolean): void;
}

export interface ListeningOptions {
  readonly databaseUrl: DatabaseUrl;
  /** Its sessions prove that the listening one hears. Idle ones are ended when that hears nothing. */
  readonly pool: Pick<SourcePool, "withReading" | "endIdle">;
  readonly events: NotificationEvents;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** How often it is proven that the session hears, for how long, and when a lost one is replaced. */
  readonly pauses?: { readonly proveMs: number; readonly hearMs: number; readonly reconnectMs: number };
}

const channel = "partner_source_changed";
/** Nonces that prove that a session hears. All builders of a database share it. */
const proofChannel = "partner_programs_proof";

/** Waits for no disk and no standby: what the nonce says is not to survive anything. */
const proof = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";

/** `unheard`: a session that answers, and that heard nothing from its beginning on. */
type Problem = "down" | "unheard";

const problemTexts: Readonly<Record<Problem, string>> = {
  down: "notifications are down: the booking database cannot be listened to; trying again",
  unheard:
    "notifications are not heard: a pooler such as PgBouncer with transaction pooling stands before the booking database. " +
    "Changes wait for the interval until this watch gets a DATABASE_URL that leads to the server directly",
};

/** Listens until the signal, one session after another. Losing one is no failure: the interval remains. */
export async function listenForChanges({
  databaseUrl,
  pool,
  events,
  logger,
  signal,
  pauses = { proveMs: 10_000, hearMs: 5000, reconnectMs: 2000 },
}: ListeningOptions): Promise<void> {
  /** The problem that was told last, until it is over. */
  let told: Problem | undefined;
  while (!signal.aborted) {
    let problem: Problem = "down";
    const client = createClient(databaseUrl, {
      application_name: "partner-programs watch",
      query_timeout: pauses.hearMs,
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
      await client.query(`LISTEN ${proofChannel}; LISTEN ${channel}`);
      if (!(await hears(client, pool, pauses.hearMs, over.signal))) {
        problem = "unheard";
        throw new Error(problemTexts.unheard);
      }
      if (told !== undefined) logger.info("notifications are back; whatever changed meanwhile is built now");
      told = undefined;
      events.onListening(true);
      do await delay(pauses.proveMs, undefined, { signal: over.signal });
      while (await hears(client, pool, pauses.hearMs, over.signal));
    } catch {
      // What follows is the same for a session that broke.
    } finally {
      signal.removeEventListener("abort", end);
      await endClient(client);
    }
    if (signal.aborted) return;
    // P192: sessions behind one proxy go silent together, and a build would wait long for one of the pool's.
    pool.endIdle();
    if (told !== problem) logger.warn(problemTexts[problem]);
    told = problem;
    events.onListening(false);
    await delay(pauses.reconnectMs, undefined, { signal }).catch(() => {});
  }
}

/**
 * P192: another session sends a nonce, and the listening one has to hear it without being asked anything. A
 * question would pass also where a proxy keeps a dead session open towards us, or where a pooler has given
 * the server's session to somebody else; and a session always hears itself. Throws when no other session can
 * send.
 */
async function hears(
  client: pg.Client,
  pool: Pick<SourcePool, "withReading">,
  hearMs: number,
  over: AbortSignal,
): Promise<boolean> {
  const nonce = randomUUID();
  const heard = new AbortController();
  const listen = ({ payload }: pg.Notification): void => {
    if (payload === nonce) heard.abort();
  };
  client.on("notification", listen);
  try {
    const values = [proofChannel, nonce];
    const sending = pool.withReading((sender) => sender.query({ text: proof, values }));
    const deadline = delay(hearMs, undefined, { signal: AbortSignal.any([heard.signal, over]) });
    await Promise.race([sending.then(() => deadline), deadline]).catch((error: unknown) => {
      if (!heard.signal.aborted) throw error;
    });
    return heard.signal.aborted;
  } finally {
    client.off("notification", listen);
  }
}

/** The payload begins with a tenant's id, up to a space. Any other payload may mean all tenants. */
function tenantOf(payload = ""): TenantId | undefined {
  const [tenantId = ""] = payload.split(" ", 1);
  return isTenantId(tenantId) ? tenantId : undefined;
}
