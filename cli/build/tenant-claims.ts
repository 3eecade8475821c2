import pg from "pg";
import type { TenantId } from "../../core/ids.ts";
import { sha256Hex } from "../../core/object-body.ts";
import { endClient } from "../database/end-client.ts";

/**
 * `ours`: to be built now, then given up with `release`. `taken`: another builder is at it, so try again later; if that one
 * dies, the tenant becomes ours. `done`: another builder published it from a reading that began after this run did.
 */
export type Claim = "ours" | "taken" | "done";

/** Divides the tenants among builders that run at the same time, on this machine or others. */
export interface TenantClaims {
  tryClaim(tenantId: TenantId): Promise<Claim>;
  /** `isUpToDate`: the tenant was published or unchanged, so that other builders need not build it. */
  release(tenantId: TenantId, isUpToDate: boolean): Promise<void>;
}

/** The claims of a process that shares with nobody. */
const soleClaims: TenantClaims = {
  tryClaim: async () => "ours",
  release: async () => {},
};

const channel = "partner_programs_built";
const clock = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text";
const lockKey = "hashtextextended('partner-programs ' || $1 || ' ' || $2, 0)";
/** Claims spare work, they protect nothing (the commit protocol does): a frozen holder is not waited for any longer. */
const maxWaitMs = 15 * 60_000;

/**
 * Runs with claims held as PostgreSQL advisory locks, which a lost builder's server session gives up by itself. What has
 * been built is announced by NOTIFY *before* the lock is released, so whoever gets the lock has heard of it.
 *
 * `scope`: what decides the result beside the source, the store above all. Only runs of one scope share their work.
 * `startedMsAgo`: how long ago this run began to promise fresh data. Where neither locks nor notifications are to be had
 * (a read replica, a broken connection) every builder builds everything, which costs but harms nothing.
 */
export async function withTenantClaims<Result>(
  databaseUrl: string,
  scope: string,
  startedMsAgo: number,
  run: (claims: TenantClaims) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "partner-programs claims",
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
    keepAlive: true,
  });
  let isUsable = true;
  client.on("error", () => {
    isUsable = false;
  });
  try {
    const startedAt = await listen(client, startedMsAgo);
    if (startedAt === undefined) return await run(soleClaims);
    return await run(
      advisoryClaims(client, sha256Hex(Buffer.from(scope)).slice(0, 16), startedAt, () => isUsable),
    );
  } finally {
    await endClient(client);
  }
}

/** The start of the run by the server's clock, or `undefined` when the server cannot do it. */
async function listen(client: pg.Client, startedMsAgo: number): Promise<number | undefined> {
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
    return (await serverTime(client)) - startedMsAgo;
  } catch {
    return undefined;
  }
}

function advisoryClaims(
  client: pg.Client,
  scope: string,
  startedAt: number,
  isUsable: () => boolean,
): TenantClaims {
  /** Tenant → when the newest reading that was published began, by the server's clock. */
  const built = new Map<string, number>();
  const readingSince = new Map<TenantId, number>();
  client.on("notification", ({ payload = "" }) => {
    const [ofScope, tenantId = "", readAt = ""] = payload.split(" ");
    if (ofScope !== scope) return;
    built.set(tenantId, Math.max(built.get(tenantId) ?? 0, Number(readAt)));
  });

  /** Tenants are claimed side by side, but a connection takes one query at a time. */
  let lastQuery: Promise<unknown> = Promise.resolve();
  function query<Row extends pg.QueryResultRow>(
    sql: string,
    values: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const result = lastQuery.then(() => client.query<Row>(sql, values));
    lastQuery = result.catch(() => {});
    return result;
  }

  const isDone = (tenantId: TenantId): boolean => (built.get(tenantId) ?? 0) >= startedAt;

  async function tryLock(tenantId: TenantId): Promise<boolean> {
    if (!isUsable()) return true;
    try {
      const { rows } = await query<{ locked: boolean; ms: string }>(
        `SELECT pg_try_advisory_lock(${lockKey}) AS locked, ${clock} AS ms`,
        [scope, tenantId],
      );
      if (rows[0]?.locked !== true) return false;
      readingSince.set(tenantId, Number(rows[0].ms));
      return true;
    } catch {
      return true;
    }
  }

  async function unlock(tenantId: TenantId): Promise<void> {
    await query(`SELECT pg_advisory_unlock(${lockKey})`, [scope, tenantId]).catch(() => {});
  }

  const waitingSince = new Map<TenantId, number>();

  function isOverdue(tenantId: TenantId): boolean {
    const since = waitingSince.get(tenantId) ?? performance.now();
    waitingSince.set(tenantId, since);
    return performance.now() - since > maxWaitMs;
  }

  return {
    async tryClaim(tenantId) {
      if (isDone(tenantId)) return "done";
      if (!(await tryLock(tenantId)) && !isOverdue(tenantId)) return "taken";
      // The notification of a builder that has just let go came with the answer to our lock.
      if (isDone(tenantId)) {
        await unlock(tenantId);
        return "done";
      }
      return "ours";
    },

    async release(tenantId, isUpToDate) {
      const readAt = readingSince.get(tenantId);
      readingSince.delete(tenantId);
      if (isUpToDate && readAt !== undefined) {
        await query(`SELECT pg_notify('${channel}', $1)`, [`${scope} ${tenantId} ${readAt}`]).catch(() => {});
      }
      await unlock(tenantId);
    },
  };
}

async function serverTime(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: string }>(`SELECT ${clock} AS ms`);
  return Number(rows[0]?.ms);
}
