import { asFailure } from "../../../core/failure.ts";
import type { SourcePool } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";

export interface LockPatience {
  /** How long a reading waits for a lock. */
  readonly firstMs: number;
  /** The time that all readings together may lose to locks that are not released. */
  readonly allMs: number;
  /** How long each reading waits for a lock after that. */
  readonly eachMs: number;
}

/**
 * Readings of a run share one allowance of time for locks that are not released (P130). Otherwise one locked table would keep
 * each tenant waiting in turn. A lock that is released in time takes nothing from it.
 */
export function withLockPatience(
  pool: SourcePool,
  { firstMs, allMs, eachMs }: LockPatience = ofRun,
): SourcePool {
  let leftMs = allMs;
  return {
    async withReading(read, limits) {
      const startedAt = performance.now();
      try {
        return await pool.withReading(read, { lockMs: leftMs > 0 ? firstMs : eachMs, ...limits });
      } catch (error) {
        if (hasSqlState(asFailure(error).cause, "55P03")) leftMs -= performance.now() - startedAt;
        throw error;
      }
    },
  };
}

const ofRun: LockPatience = { firstMs: 15_000, allMs: 60_000, eachMs: 1000 };
