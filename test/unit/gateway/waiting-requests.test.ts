import { expect, test } from "vitest";
import { mayWait } from "../../../gateway/connections.ts";

test("W61 256 requests may wait, and one more for each that is taken up", () => {
  const connection = { waiting: [] };
  for (let at = 0; at < 256; at += 1) expect(mayWait(connection, at)).toBe(true);
  connection.waiting.shift();
  expect(mayWait(connection, 256)).toBe(true);
  expect(mayWait(connection, 257)).toBe(false);
});

test("W61 256 KiB may wait beyond the first of them, wherever on the connection that stands", () => {
  const connection = { waiting: [] };
  expect(mayWait(connection, 1_000_000)).toBe(true);
  expect(mayWait(connection, 1_000_000 + 256 * 1024)).toBe(true);
  expect(mayWait(connection, 1_000_001 + 256 * 1024)).toBe(false);
});

test("W61 bytes count from the first that still waits", () => {
  const connection = { waiting: [] };
  mayWait(connection, 0);
  mayWait(connection, 100);
  connection.waiting.shift();
  expect(mayWait(connection, 100 + 256 * 1024)).toBe(true);
});
