import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withDeadline } from "../../../core/ground/bounded-work.ts";

const expired = (): Error => new Error("the time is up");
const never = (): Promise<never> => new Promise(() => {});

test("the caller's signal ends a call that never lets go, with the signal's reason, and the call's own signal fires", async () => {
  const caller = new AbortController();
  const signals: AbortSignal[] = [];
  const outcome = withDeadline({ timeoutMs: 60_000, signal: caller.signal, expired }, (signal) => {
    signals.push(signal);
    return never();
  });
  const reason = new Error("left");
  caller.abort(reason);
  await expect(outcome).rejects.toBe(reason);
  expect(signals.map((signal) => signal.reason)).toEqual([reason]);
});

describe("of a timer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("whoever leaves after the answer ends nothing any more, and no timer is left", async () => {
    const caller = new AbortController();
    const options = { timeoutMs: 1000, signal: caller.signal, expired };
    const given = await withDeadline(options, async (signal) => signal);
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    expect(given.aborted).toBe(false);
  });

  test("what a call says after its time is up is heard by nobody, and is no unhandled rejection", async () => {
    let fail = (_reason: Error): void => {};
    const late = new Promise<never>((_resolve, reject) => (fail = reject));
    const outcome = expect(withDeadline({ timeoutMs: 1000, expired }, () => late)).rejects.toThrow(
      "the time is up",
    );
    await vi.advanceTimersByTimeAsync(1000);
    await outcome;
    fail(new Error("too late"));
  });
});
