import { expect, test } from "vitest";
import { createWaitingRequests } from "../../../gateway/connections.ts";

test("W61 256 requests may wait, and one more for each that is taken up", () => {
  const waiting = createWaitingRequests();
  for (let at = 0; at < 256; at += 1) expect(waiting.add(at)).toBe(true);
  waiting.takeFirst();
  expect(waiting.add(256)).toBe(true);
  expect(waiting.add(257)).toBe(false);
});

test("W61 256 KiB may wait beyond the first of them, wherever on the connection that stands", () => {
  const waiting = createWaitingRequests();
  expect(waiting.add(1_000_000)).toBe(true);
  expect(waiting.add(1_000_000 + 256 * 1024)).toBe(true);
  expect(waiting.add(1_000_001 + 256 * 1024)).toBe(false);
});

test("W61 bytes count from the first that still waits", () => {
  const waiting = createWaitingRequests();
  waiting.add(0);
  waiting.add(100);
  waiting.takeFirst();
  expect(waiting.add(100 + 256 * 1024)).toBe(true);
});
