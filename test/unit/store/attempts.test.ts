import { describe, expect, test, vi } from "vitest";
import { retryDelayMs, s3Call } from "../../../core/s3-store/s3-call.ts";
import type { S3Call } from "../../../core/s3-store/s3-error.ts";

const location = { bucket: "b", prefix: "" };
const context = { timeoutMs: 1000 };
const call: S3Call = { operation: "GetObject", location, key: "a.json" };
const policy = { signal: undefined };
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });

describe("attempts", () => {
  test("the pause before a repetition is anywhere from 0 to a limit that doubles up to 3 s", () => {
    expect(retryDelayMs(1, 0)).toBe(0);
    expect([1, 2, 3, 4, 5, 6].map((attempt) => retryDelayMs(attempt, 0.999999))).toEqual([
      199, 399, 799, 1599, 2999, 2999,
    ]);
  });

  test.each([
    ["that must not be repeated", { ...policy, repeatable: false }, reset, "store_unavailable"],
    ["whose error no repetition can mend", policy, new Error("x"), "internal"],
  ])("a call %s is made once", async (_what, given, error, code) => {
    const attempt = vi.fn(async () => Promise.reject(error));
    await expect(s3Call(context, call, given, attempt)).rejects.toMatchObject({ code });
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test("the deadline holds for a call that heeds no signal, and its signal fires", async () => {
    vi.useFakeTimers();
    try {
      const signals: AbortSignal[] = [];
      const hanging = s3Call(context, call, { ...policy, repeatable: false }, (signal) => {
        signals.push(signal);
        return new Promise(() => {});
      });
      const outcome = expect(hanging).rejects.toMatchObject({
        code: "store_unavailable",
        message: expect.stringContaining("no answer in time"),
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
      const signal = await s3Call(context, call, policy, async (given) => given);
      await vi.runAllTimersAsync();
      expect(signal.aborted).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the caller's signal ends a pause before a repetition", async () => {
    const controller = new AbortController();
    const attempt = vi.fn(async () => {
      queueMicrotask(() => controller.abort());
      return Promise.reject(reset);
    });
    const outcome = s3Call(context, call, { ...policy, signal: controller.signal }, attempt);
    await expect(outcome).rejects.toMatchObject({ code: "interrupted" });
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
