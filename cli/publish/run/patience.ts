import type pg from "pg";
import type { QueryConfig, QueryResult } from "pg";
import { asFailure } from "../../../core/failure.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";

export interface LockPatience {
  /** The time that all readings together may lose to locks that are not released. */
  readonly allMs: number;
  /** How long each reading waits for a lock after that. */
  readonly eachMs: number;
}

/**
 * Readings of a run share one allowance of time for locks that are not released (P130). Otherwise one locked table would keep
 * each tenant waiting in turn. A lock that is released in time takes nothing from it.
 */
export function withLockPatience(pool: SourcePool, { allMs, eachMs }: LockPatience = ofRun): SourcePool {
  let leftMs = allMs;
  return {
    async withReading(read, limits) {
      const startedAt = performance.now();
      try {
        return await pool.withReading(read, { ...limits, lockMs: Math.max(eachMs, leftMs) });
      } catch (error) {
        if (hasSqlState(asFailure(error).cause, "55P03")) leftMs -= performance.now() - startedAt;
        throw error;
      }
    },
  };
}

const ofRun: LockPatience = { allMs: 60_000, eachMs: 1000 };

/** Lets builds of told tenants go first, since all builds share one thread, its files and its sockets. */
export interface RightOfWay {
  /** Says that the build of a told tenant begins. The returned function says that it has ended. */
  take(): () => void;
  /** Resolves when no told tenant is being built, or when the caller has waited long enough. */
  give(): Promise<void>;
}

/**
 * P33: before each query and write, a round waits for builds of told tenants, at most `maxMs`. Then it goes on beside them for as
 * long, so that it ends however many notifications come. `clock` is monotonic.
 */
export function createRightOfWay(maxMs: number, clock: () => number): RightOfWay {
  let taken = 0;
  let standsUntil = Number.NEGATIVE_INFINITY;
  const waiting = new Set<() => void>();
  return {
    take() {
      taken += 1;
      if (clock() > standsUntil + maxMs) standsUntil = clock() + maxMs;
      return () => {
        taken -= 1;
        if (taken === 0) for (const goOn of waiting) goOn();
      };
    },
    give() {
      const now = clock();
      if (now > standsUntil + maxMs) standsUntil = now + maxMs;
      if (taken === 0 || now >= standsUntil) return Promise.resolve();
      return new Promise((resolve) => {
        const goOn = (): void => {
          clearTimeout(deadline);
          waiting.delete(goOn);
          resolve();
        };
        const deadline = setTimeout(goOn, standsUntil - now);
        waiting.add(goOn);
      });
    },
  };
}

/** The pool with `giveWay` awaited before each query. */
export function patientPool(pool: SourcePool, giveWay: () => Promise<void>): SourcePool {
  return {
    withReading: (read, limits) =>
      pool.withReading((client) => {
        const query = async (
          query: string | QueryConfig | pg.Query,
          values?: unknown[],
        ): Promise<QueryResult | pg.Query> => {
          await giveWay();
          return await client.query(query as QueryConfig, values);
        };
        return read(Object.assign(Object.create(client) as SourceClient, { query }));
      }, limits),
  };
}

/** The store with `giveWay` awaited before each write. */
export function patientStore(store: ObjectStore, giveWay: () => Promise<void>): ObjectStore {
  return {
    ...store,
    async put(key, body, options) {
      await giveWay();
      return await store.put(key, body, options);
    },
    async copy(from, to, options) {
      await giveWay();
      return await store.copy(from, to, options);
    },
  };
}
