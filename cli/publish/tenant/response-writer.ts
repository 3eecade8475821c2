import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { type ResponseName, responseKey } from "../../../core/object-key.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";

/** Stores the responses of one snapshot, a bounded number and size at a time. */
export interface ResponseWriter {
  readonly snapshotId: SnapshotId;
  /** Resolves with the entry for the manifest, once the write has begun. */
  put(name: ResponseName, body: ObjectBody): Promise<ResponseEntry>;
  /** Resolves when every write has ended; throws the first failure. Callers await it also after a failure. */
  settled(): Promise<void>;
}

export interface WriterOptions {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  /** `undefined`: nothing is written. */
  readonly store: ObjectStore | undefined;
  /** Called before each write; cheap after the first time. Throws when the store must not be written to. */
  readonly beforeFirstWrite: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Puts under way at a time, of one tenant. */
const maxParallelPuts = 32;
const maxParallelPutBytes = 16 * 1024 * 1024;

export function createResponseWriter(options: WriterOptions): ResponseWriter {
  const { tenantId, snapshotId, store, beforeFirstWrite, signal } = options;
  const puts = createPutQueue(maxParallelPuts, maxParallelPutBytes);
  return {
    snapshotId,
    async put(name, body) {
      const key = responseKey(tenantId, snapshotId, name);
      if (store !== undefined) {
        await beforeFirstWrite();
        await puts.add(body.size, () => putImmutable(store, key, body, signal));
      }
      return { key, sha256: body.sha256, size: body.size };
    },
    settled: () => puts.settled(),
  };
}

/** Runs writes side by side, a bounded number and size at a time, and stops taking more after the first failure. */
export interface PutQueue {
  /** Resolves when the write has *begun*, so that a producer waits while the store is slower than it is. */
  add(bytes: number, write: () => Promise<void>): Promise<void>;
  /** Resolves when every write has ended; throws the first failure. Callers await it also after a failure. */
  settled(): Promise<void>;
}

/** A write of more than `maxBytes` runs alone. */
export function createPutQueue(limit: number, maxBytes: number): PutQueue {
  const running = new Set<Promise<void>>();
  let runningBytes = 0;
  let failure: { readonly reason: unknown } | undefined;
  /** Callers that wait for a write to end. `Promise.race` over all running writes would add a handler to each of them every time. */
  let waiting: (() => void)[] = [];

  function wakeAll(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  function throwFailure(): void {
    if (failure !== undefined) throw failure.reason;
  }

  return {
    async add(bytes, write) {
      const isFull = (): boolean =>
        running.size >= limit || (running.size > 0 && runningBytes + bytes > maxBytes);
      while (isFull()) await new Promise<void>((resolve) => waiting.push(resolve));
      throwFailure();
      const run = write()
        .catch((reason: unknown) => {
          failure ??= { reason };
        })
        .finally(() => {
          running.delete(run);
          runningBytes -= bytes;
          wakeAll();
        });
      running.add(run);
      runningBytes += bytes;
    },

    async settled() {
      await Promise.all(running);
      throwFailure();
    },
  };
}
