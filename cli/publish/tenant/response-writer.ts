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
  const puts = new PutQueue(maxParallelPuts, maxParallelPutBytes);
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
export class PutQueue {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #running = new Set<Promise<void>>();
  #runningBytes = 0;
  #failure: { readonly reason: unknown } | undefined;
  /** Callers that wait for a write to end. `Promise.race` over all running writes would add a handler to each of them every time. */
  #waiting: (() => void)[] = [];

  /** A write of more than `maxBytes` runs alone. */
  constructor(limit: number, maxBytes: number) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
  }

  /** Resolves when the write has *begun*, so that a producer waits while the store is slower than it is. */
  async add(bytes: number, write: () => Promise<void>): Promise<void> {
    const running = this.#running;
    const isFull = (): boolean =>
      running.size >= this.#limit || (running.size > 0 && this.#runningBytes + bytes > this.#maxBytes);
    while (isFull()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#throwFailure();
    const run = write()
      .catch((reason: unknown) => {
        this.#failure ??= { reason };
      })
      .finally(() => {
        running.delete(run);
        this.#runningBytes -= bytes;
        for (const wake of this.#waiting.splice(0)) wake();
      });
    running.add(run);
    this.#runningBytes += bytes;
  }

  /** Resolves when every write has ended; throws the first failure. Callers await it also after a failure. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }
}
