import { describe, expect, test, vi } from "vitest";
import { Failure } from "../../../core/failure.ts";
import { retryDelayMs, withAttempts } from "../../../core/s3-store/attempts.ts";

const failure = new Failure("store_unavailable", "no");
const options = {
  maxAttempts: 3,
  timeoutMs: 1000,
  signal: undefined,
  what: "the call",
  judge: () => ({ failure, mayRetry: true }),
};

describe("attempts", () => {
  test("the pause before a repetition is anywhere from 0 to a limit that doubles up to 3 s", () => {
    expect(retryDelayMs(1, 0)).toBe(0);
    expect([1, 2, 3, 4, 5, 6].map((attempt) => retryDelayMs(attempt, 0.999999))).toEqual([
      199, 399, 799, 1599, 2999, 2999,
    ]);
  });

  test("a call that must not be repeated is made once", async () => {
    const call = vi.fn(async () => Promise.reject(new Error("x")));
    await expect(withAttempts({ ...options, maxAttempts: 1 }, call)).rejects.toBe(failure);
    expect(call).toHaveBeenCalledTimes(1);
  });

  test("an error that a repetition cannot mend ends the call", async () => {
    const call = vi.fn(async () => Promise.reject(new Error("x")));
    const judge = () => ({ failure, mayRetry: false });
    await expect(withAttempts({ ...options, judge }, call)).rejects.toBe(failure);
    expect(call).toHaveBeenCalledTimes(1);
  });

  test("the deadline holds for a call that heeds no signal, and its signal fires", async () => {
    vi.useFakeTimers();
    try {
      const signals: AbortSignal[] = [];
      const hanging = withAttempts({ ...options, maxAttempts: 1 }, (signal) => {
        signals.push(signal);
        return new Promise(() => {});
      });
      const outcome = expect(hanging).rejects.toMatchObject({
        code: "store_unavailable",
        message: expect.stringContaining("no answer within 1000 ms"),
      });
      await vi.runAllTimersAsync();
      await outcome;
      expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a call that succeeded keeps its signal quiet: its body may still be read", async () => {
    vi.useFakeTimers();
    try {
      const signal = await withAttempts(options, async (given) => given);
      await vi.runAllTimersAsync();
      expect(signal.aborted).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the caller's signal ends a pause before a repetition", async () => {
    const controller = new AbortController();
    const call = vi.fn(async () => {
      queueMicrotask(() => controller.abort());
      return Promise.reject(new Error("x"));
    });
    const outcome = withAttempts({ ...options, signal: controller.signal }, call);
    await expect(outcome).rejects.toMatchObject({ code: "interrupted" });
    expect(call).toHaveBeenCalledTimes(1);
  });
});
