import type { ResponseEntry } from "../../../core/documents/manifest.ts";
import { type SnapshotId, snapshotId } from "../../../core/ground/ids.ts";
import { type ResponseName, responseKey } from "../../../core/ground/object-key.ts";
import type { ObjectBody } from "../../../core/store/object-store.ts";
import { putImmutable } from "../snapshot/stored-snapshot.ts";
import type { BuildAttempt } from "./build-context.ts";

/** Stores one new snapshot's responses. A batch's are written side by side while the next is read. */
export class ResponseWriter {
  readonly snapshotId: SnapshotId;
  readonly #attempt: BuildAttempt;
  readonly #isDry: boolean;
  #batch: Promise<void>[] = [];
  #batchBefore: readonly Promise<void>[] = [];

  /** `isDry`: nothing is written. */
  constructor(attempt: BuildAttempt, isDry: boolean) {
    this.snapshotId = snapshotId(attempt.readAt, attempt.context.randomBytes(4));
    this.#attempt = attempt;
    this.#isDry = isDry;
  }

  /** Begins the write, and resolves with the entry for the manifest. */
  async put(name: ResponseName, body: ObjectBody): Promise<ResponseEntry> {
    const { tenantId, context, run } = this.#attempt;
    const key = responseKey(tenantId, this.snapshotId, name);
    if (!this.#isDry) {
      const write = putImmutable(context.store, key, body, context.signal).then(() => {
        run.bytesWritten += body.size;
      });
      // Whoever ends the batch hears of a failure.
      write.catch(() => {});
      this.#batch.push(write);
    }
    return { key, sha256: body.sha256, size: body.size };
  }

  /** Resolves when the batch before has been written; throws its first failure. */
  async endBatch(): Promise<void> {
    await Promise.all(this.#batchBefore);
    this.#batchBefore = this.#batch;
    this.#batch = [];
  }

  /** Resolves when every write has ended; throws the first failure. Callers await it also after a failure. */
  async settled(): Promise<void> {
    const writes = [...this.#batchBefore, ...this.#batch];
    await Promise.allSettled(writes);
    await Promise.all(writes);
  }
}
