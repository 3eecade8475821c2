import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type GuardOptions, guardedBody } from "../../../core/s3-store/guarded-body.ts";

const idleTimeoutMs = 1000;

function guard(source: PassThrough, options: Partial<GuardOptions> = {}) {
  return guardedBody(source, { size: 6, idleTimeoutMs, signal: undefined, what: "the body", ...options });
}

describe("a guarded body", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("passes the announced bytes on and ends", async () => {
    const source = new PassThrough();
    const body = guard(source);
    source.write("abc");
    source.end("def");
    expect(Buffer.concat(await body.toArray()).toString()).toBe("abcdef");
  });

  test.each([
    ["abc", "ended after 3 of 6 bytes"],
    ["abcdefg", "longer than the 6 bytes announced"],
  ])("fails when %j comes for 6 announced bytes", async (text, reason) => {
    const source = new PassThrough();
    const body = guard(source);
    source.end(text);
    await expect(body.toArray()).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(reason),
    });
  });

  test("fails when the connection breaks, and tells a reader that comes later", async () => {
    const source = new PassThrough();
    const body = guard(source);
    const closed = new Promise((resolve) => body.once("close", resolve));
    source.destroy(new Error("ECONNRESET"));
    await closed;
    await expect(body.toArray()).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("fails when the store pauses for longer than the deadline, and lets the connection go", async () => {
    const source = new PassThrough();
    const body = guard(source);
    source.write("abc");
    const reading = expect(body.toArray()).rejects.toMatchObject({
      message: expect.stringContaining("paused"),
    });
    await once(source, "data");
    await vi.advanceTimersByTimeAsync(idleTimeoutMs);
    await reading;
    expect(source.destroyed).toBe(true);
  });

  test("a pause within the deadline is none, however often", async () => {
    const source = new PassThrough();
    const body = guard(source);
    const reading = body.toArray();
    for (const letter of "abcdef") {
      await vi.advanceTimersByTimeAsync(idleTimeoutMs - 1);
      source.write(letter);
    }
    source.end();
    expect(Buffer.concat(await reading).toString()).toBe("abcdef");
  });

  test("a reader that takes longer than the deadline is no pause of the store", async () => {
    const size = 1024 * 1024;
    const source = new PassThrough({ highWaterMark: size });
    const body = guard(source, { size });
    source.end(Buffer.alloc(size, "x"));
    const reader = body[Symbol.asyncIterator]();
    let received = ((await reader.next()).value as Buffer).length;
    await vi.advanceTimersByTimeAsync(100 * idleTimeoutMs);
    for (let part = await reader.next(); part.done !== true; part = await reader.next()) {
      received += (part.value as Buffer).length;
    }
    expect(received).toBe(size);
  });

  test("destroying it lets the connection go and leaves no timer", async () => {
    const source = new PassThrough();
    const body = guard(source);
    body.read();
    expect(vi.getTimerCount()).toBe(1);
    body.destroy();
    await once(body, "close");
    expect(source.destroyed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a signal that fires ends it as interrupted", async () => {
    const controller = new AbortController();
    const body = guard(new PassThrough(), { signal: controller.signal });
    const reading = expect(body.toArray()).rejects.toMatchObject({ code: "interrupted" });
    controller.abort();
    await reading;
  });
});
