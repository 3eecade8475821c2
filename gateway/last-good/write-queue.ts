import type { Failure } from "../../core/failure.ts";
import { asFailure } from "../../core/failure.ts";
import type { Logger } from "../../core/logger.ts";
import { createOutageLog } from "../outage-log.ts";

/** Runs writes one after the other. No request waits for them. */
export interface WriteQueue {
  /**
   * Queues a write. Returns false and counts a failure when more than `maxWaitingBytes` would wait. Never throws. `write`
   * resolves to false when there was nothing to write, which says nothing about the folder.
   */
  add(bytes: number, write: () => Promise<boolean>): boolean;
  /** Resolves when all writes that were added before are done. */
  drained(): Promise<void>;
}

/** Failures of all queues, logged together. */
export interface WriteFaults {
  note(queue: string, error: unknown): void;
  succeeded(queue: string): void;
  isFailing(queue: string): boolean;
  count(): number;
}

/**
 * W85: a failed write is a warning and a count, and affects no request. `onFault` is called after each failure, since the copy is
 * incomplete then.
 */
export function createWriteFaults(logger: Logger, clock: () => number, onFault: () => void): WriteFaults {
  let count = 0;
  /** The queues that are failing. A nearly full disk may take small files but no large ones. */
  const failing = new Set<string>();
  const outage = createOutageLog(
    logger,
    {
      failed: "the last good copy could not be written",
      succeeded: "the last good copy is written again",
    },
    clock,
  );
  return {
    note(queue, error) {
      count += 1;
      failing.add(queue);
      outage.failed(asFailure(error));
      onFault();
    },
    succeeded(queue) {
      if (failing.delete(queue) && failing.size === 0) outage.succeeded();
    },
    isFailing: (queue) => failing.has(queue),
    count: () => count,
  };
}

export function createWriteQueue(
  name: string,
  faults: WriteFaults,
  maxWaitingBytes: number,
  tooMuch: () => Failure,
): WriteQueue {
  let waitingBytes = 0;
  let last: Promise<void> = Promise.resolve();

  async function run(before: Promise<void>, bytes: number, write: () => Promise<boolean>): Promise<void> {
    await before;
    try {
      if (await write()) faults.succeeded(name);
    } catch (error) {
      faults.note(name, error);
    } finally {
      waitingBytes -= bytes;
    }
  }

  return {
    add(bytes, write) {
      if (waitingBytes > 0 && waitingBytes + bytes > maxWaitingBytes) {
        faults.note(name, tooMuch());
        return false;
      }
      waitingBytes += bytes;
      last = run(last, bytes, write);
      return true;
    },
    drained: () => last,
  };
}
