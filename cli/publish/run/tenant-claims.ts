import type { TenantId } from "../../../core/ids.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import type { DatabaseUrl } from "../../database/source-client.ts";
import { builtChannel, type ClaimsConnection, clock, connectClaims } from "./claims-connection.ts";

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

/** The connection on which any number of runs claim tenants, also side by side. */
export interface ClaimsSession {
  /** `startedMsAgo`: how long ago the run began to promise fresh data. Never throws. */
  begin(startedMsAgo: number): Promise<TenantClaims>;
}

export interface ClaimsOptions {
  readonly databaseUrl: DatabaseUrl;
  /** What decides the result beside the source, such as the store. Only runs of one scope share their work. */
  readonly scope: string;
  /** P35: called once for each wait for a tenant, and once more when the wait was too long. */
  readonly onWait?: (tenantId: TenantId, isOverdue: boolean) => void;
  /**
   * How long to wait for another builder, which may be frozen. The commit protocol protects the tenant; claims only spare work.
   */
  readonly maxWaitMs?: number;
}

/** How long a builder waits for another one, unless told otherwise. */
export const defaultMaxWaitMs = 2 * 60_000;
/** How long a server that cannot hold claims is not asked again. */
const reconnectMs = 10_000;

const soleClaims: TenantClaims = {
  tryClaim: async () => "ours",
  release: async () => {},
};

const lockKey = "hashtextextended('partner-programs ' || $1 || ' ' || $2, 0)";

/**
 * Runs with claims held as PostgreSQL advisory locks, which end with the session of a builder that is lost. A builder announces a
 * built tenant by NOTIFY *before* it releases the lock, so the next holder of the lock has heard of it.
 *
 * Where the server offers neither locks nor notifications (a read replica, a broken connection), every builder builds every tenant.
 * That costs time and harms nothing.
 */
export async function withClaimsSession<Result>(
  options: ClaimsOptions,
  use: (session: ClaimsSession) => Promise<Result>,
): Promise<Result> {
  const scope = sha256Hex(Buffer.from(options.scope)).slice(0, 16);
  const { maxWaitMs = defaultMaxWaitMs, onWait = () => {} } = options;
  /** Tenant → when the newest reading that another builder published began, by the server's clock. */
  const built = new Map<string, number>();
  const waits = createWaits(maxWaitMs, onWait);
  let connecting: Promise<ClaimsConnection | undefined> | undefined;
  let lastTriedAt = -Infinity;

  function onBuilt(payload: string, latestMs: number): void {
    const [ofScope, tenantId = "", readAt = ""] = payload.split(" ");
    if (ofScope !== scope) return;
    // Anybody may notify, so a payload may name an unknown tenant or a time in the future.
    if (built.size >= maxBuilt) built.clear();
    built.set(tenantId, Math.max(built.get(tenantId) ?? 0, Math.min(Number(readAt), latestMs)));
  }

  async function connection(): Promise<ClaimsConnection | undefined> {
    const present = await connecting;
    if (present?.isUsable()) return present;
    if (performance.now() - lastTriedAt >= reconnectMs || present !== undefined) {
      lastTriedAt = performance.now();
      connecting = connectClaims(options.databaseUrl, onBuilt);
      await present?.close();
    }
    return await connecting;
  }

  try {
    return await use({
      async begin(startedMsAgo) {
        const connected = await connection();
        const now = await connected?.serverTime().catch(() => undefined);
        if (connected === undefined || now === undefined) return soleClaims;
        const startedAt = now - startedMsAgo;
        const isDone = (tenantId: TenantId): boolean => (built.get(tenantId) ?? 0) >= startedAt;
        return claimsOn(connected, scope, isDone, waits);
      },
    });
  } finally {
    await (await connecting)?.close();
  }
}

function claimsOn(
  connection: ClaimsConnection,
  scope: string,
  isDone: (tenantId: TenantId) => boolean,
  waits: Waits,
): TenantClaims {
  const readingSince = new Map<TenantId, number>();

  async function tryLock(tenantId: TenantId): Promise<boolean> {
    if (!connection.isUsable()) return true;
    try {
      const [row] = await connection.query<{ locked: boolean; ms: string }>(
        `SELECT pg_try_advisory_lock(${lockKey}) AS locked, ${clock} AS ms`,
        [scope, tenantId],
      );
      if (row?.locked !== true) return false;
      readingSince.set(tenantId, Number(row.ms));
      return true;
    } catch {
      return true;
    }
  }

  async function unlock(tenantId: TenantId): Promise<void> {
    await connection.query(`SELECT pg_advisory_unlock(${lockKey})`, [scope, tenantId]).catch(() => {});
  }

  return {
    async tryClaim(tenantId) {
      if (isDone(tenantId)) {
        waits.over(tenantId);
        return "done";
      }
      const isLocked = await tryLock(tenantId);
      if (isLocked) waits.over(tenantId);
      else if (!waits.isOverdue(tenantId)) return "taken";
      // A builder that has just released the lock sent its notification before, and the lock's answer brought it.
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
        const payload = `${scope} ${tenantId} ${readAt}`;
        await connection.query(`SELECT pg_notify('${builtChannel}', $1)`, [payload]).catch(() => {});
      }
      await unlock(tenantId);
    },
  };
}

/** The bound on tenants remembered as built by others. A forgotten tenant costs a build that finds nothing new. */
const maxBuilt = 100_000;

export interface Waits {
  /** P35: whether the wait has been long enough. It counts from the first call since `over`. */
  isOverdue(tenantId: TenantId): boolean;
  over(tenantId: TenantId): void;
}

/** `onWait` is called once for each wait that is worth a line, and once more when it was too long. */
function createWaits(maxWaitMs: number, onWait: (tenantId: TenantId, isOverdue: boolean) => void): Waits {
  const waits = new Map<TenantId, { readonly since: number; said: "nothing" | "wait" | "overdue" }>();
  return {
    isOverdue(tenantId) {
      const wait = waits.get(tenantId) ?? { since: performance.now(), said: "nothing" };
      waits.set(tenantId, wait);
      const waitedMs = performance.now() - wait.since;
      if (waitedMs > maxWaitMs) {
        if (wait.said !== "overdue") onWait(tenantId, true);
        wait.said = "overdue";
        return true;
      }
      if (waitedMs > noticeAfterMs && wait.said === "nothing") {
        onWait(tenantId, false);
        wait.said = "wait";
      }
      return false;
    },
    over: (tenantId) => waits.delete(tenantId),
  };
}

/** Shorter waits are not worth a line. */
const noticeAfterMs = 2000;
