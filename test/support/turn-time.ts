import { setImmediate as turn } from "node:timers/promises";
import { vi } from "vitest";

/** What a turn of the event loop counts at most: an exchange with a server of this process takes some dozens of turns. */
const maxTurnMs = 2;

/**
 * Runs the work with timers whose time passes as the event loop turns. A deadline then tells a peer that does not answer from
 * a machine that stands still for seconds, in which this process, and a server within it, can't do anything either.
 */
export async function inTurnTime<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    let isOver = false;
    const result = work().finally(() => {
      isOver = true;
    });
    result.catch(() => {});
    for (let before = realMs(); !isOver; ) {
      await turn();
      const now = realMs();
      vi.advanceTimersByTime(Math.min(maxTurnMs, now - before));
      before = now;
    }
    return await result;
  } finally {
    vi.useRealTimers();
  }
}

function realMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
