import { asFailure } from "../../../core/failure.ts";
import type { SourcePool } from "../../database/connect.ts";

export interface LockPatience {
  /** How long the readings wait for locks in vain, all together. */
  readonly allMs: number;
  /** How long each later reading still waits for a lock. */
  readonly eachMs: number;
}

/**
 * The pool of a run, whose readings share the time for which a lock is waited for in vain (P130). Otherwise one locked table would
 * keep every tenant of the run waiting in its turn. A lock that is released in time costs nothing of it.
 */
export function withLockPatience(pool: SourcePool, { allMs, eachMs }: LockPatience = ofRun): SourcePool {
  let leftMs = allMs;
  return {
    async withReading(read, limits) {
      const startedAt = performance.now();
      try {
        return await pool.withReading(read, { ...limits, lockMs: Math.max(eachMs, leftMs) });
      } catch (error) {
        if (isLockTimeout(error)) leftMs -= performance.now() - startedAt;
        throw error;
      }
    },
  };
}

const ofRun: LockPatience = { allMs: 60_000, eachMs: 1000 };

function isLockTimeout(error: unknown): boolean {
  const { cause } = asFailure(error);
  return cause instanceof Error && "code" in cause && cause.code === "55P03";
}
