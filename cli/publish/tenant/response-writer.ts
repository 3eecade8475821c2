import { type SnapshotId, snapshotId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { type ResponseName, responseKey } from "../../../core/object-key.ts";
import type { ObjectBody } from "../../../core/object-store.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import type { Attempt } from "./build-context.ts";

/** Stores the responses of one new snapshot, a bounded number and size at a time. */
export class ResponseWriter {
  readonly snapshotId: SnapshotId;
  readonly #attempt: Attempt;
  readonly #isDry: boolean;
  readonly #puts = new PutQueue(32, 16 * 1024 * 1024);

  /** `isDry`: nothing is written. */
  constructor(attempt: Attempt, isDry: boolean) {
    this.snapshotId = snapshotId(attempt.readAt, attempt.context.randomBytes(4));
    this.#attempt = attempt;
    this.#isDry = isDry;
  }

  /** Resolves with the entry for the manifest, once the write has begun. */
  async put(name: ResponseName, body: ObjectBody): Promise<ResponseEntry> {
    const { tenantId, context } = this.#attempt;
    const key = responseKey(tenantId, this.snapshotId, name);
    if (!this.#isDry) {
      await context.beforeFirstWrite();
      await this.#puts.add(body.size, () => putImmutable(context.store, key, body, context.signal));
    }
    return { key, sha256: body.sha256, size: body.size };
  }

  /** Resolves when every write has ended; throws the first failure. Callers await it also after a failure. */
  settled(): Promise<void> {
    return this.#puts.settled();
  }
}

/** Runs writes side by side, a bounded number and size at a time, and stops taking more after the first failure. */
export class PutQueue {
  readonly #maxBytes: number;
  /** Each write counts at least this much, which bounds their number. */
  readonly #minBytes: number;
  readonly #running = new Set<Promise<void>>();
  #runningBytes = 0;
  #failure: unknown;
  /** Callers that wait for a write to end. `Promise.race` over all running writes would add a handler to each of them every time. */
  #waiting: (() => void)[] = [];

  /** A write of more than `maxBytes` runs alone. */
  constructor(maxWrites: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#minBytes = Math.floor(maxBytes / maxWrites);
  }

  /** Resolves when the write has *begun*, so that a producer waits while the store is slower than it is. */
  async add(size: number, write: () => Promise<void>): Promise<void> {
    const bytes = Math.max(size, this.#minBytes);
    while (this.#running.size > 0 && this.#runningBytes + bytes > this.#maxBytes)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#failure !== undefined) throw this.#failure;
    const run = write()
      .catch((reason: unknown) => {
        this.#failure ??= reason;
      })
      .finally(() => {
        this.#running.delete(run);
        this.#runningBytes -= bytes;
        for (const wake of this.#waiting.splice(0)) wake();
      });
    this.#running.add(run);
    this.#runningBytes += bytes;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure;
  }
}
