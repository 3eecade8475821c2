import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { joinedPieces } from "../../../core/store/object-body.ts";
import { type BodyOptions, checkedBody } from "../../../core/store/s3-store/get.ts";

const timeoutMs = 1000;

function guard(source: PassThrough, options: Partial<BodyOptions> = {}) {
  return checkedBody(source, { size: 6, timeoutMs, signal: undefined, what: "the body", ...options });
}

test("a body in pieces is joined up to the bytes that are allowed", async () => {
  const pieces = [Buffer.from("ab"), Buffer.from("cd")];
  expect(await joinedPieces(pieces, 4, "it")).toEqual(Buffer.from("abcd"));
  await expect(joinedPieces(pieces, 3, "it")).rejects.toMatchObject({ code: "corrupt_document" });
});

describe("a checked body", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
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
    source.destroy(new Error("ECONNRESET"));
    await new Promise((resolve) => source.once("close", resolve));
    await expect(body.toArray()).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("fails when the store pauses for longer than the deadline, and lets the connection go", async () => {
    const source = new PassThrough();
    const body = guard(source);
    source.write("abc");
    const reading = expect(body.toArray()).rejects.toMatchObject({
      message: expect.stringContaining("paused"),
    });
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    await reading;
    expect(source.destroyed).toBe(true);
  });

  test("fails when the store drips, however short the pauses, within the deadline and what the bytes take", async () => {
    const source = new PassThrough();
    const body = guard(source, { size: 25_000_000 });
    const reading = expect(body.toArray()).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/came too slowly, \d+ of 25000000 bytes/),
    });
    let waitedMs = 0;
    for (; !source.destroyed && waitedMs < 100 * timeoutMs; waitedMs += timeoutMs / 10) {
      source.write("x");
      await vi.advanceTimersByTimeAsync(timeoutMs / 10);
    }
    await reading;
    expect(waitedMs).toBeLessThanOrEqual(1.2 * timeoutMs);
  });

  test("a reader's pauses cost the store nothing", async () => {
    const part = 64 * 1024;
    const source = new PassThrough({ highWaterMark: 20 * part });
    const body = guard(source, { size: 20 * part });
    for (let at = 0; at < 20; at += 1) source.write(Buffer.alloc(part));
    source.end();
    let received = 0;
    for await (const chunk of body) {
      received += (chunk as Buffer).length;
      await vi.advanceTimersByTimeAsync(10 * timeoutMs);
    }
    expect(received).toBe(20 * part);
  });

  test("a reader that takes longer than the deadline is no pause of the store", async () => {
    const size = 1024 * 1024;
    const source = new PassThrough({ highWaterMark: size });
    const body = guard(source, { size });
    source.end(Buffer.alloc(size, "x"));
    const reader = body[Symbol.asyncIterator]();
    let received = ((await reader.next()).value as Buffer).length;
    await vi.advanceTimersByTimeAsync(100 * timeoutMs);
    for (let part = await reader.next(); part.done !== true; part = await reader.next()) {
      received += (part.value as Buffer).length;
    }
    expect(received).toBe(size);
  });
});
