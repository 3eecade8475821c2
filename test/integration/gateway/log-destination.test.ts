import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { LogDestination } from "../../../gateway/beside/log-destination.ts";
import { folderForAllTests } from "../../support/lasting.ts";

const directory = folderForAllTests();
let path: string;
let fd: number;
let lost: number;

beforeEach(async () => {
  path = join(directory, "log");
  fd = openSync(path, "w");
  lost = 0;
});

const onLost = (lines: number): void => {
  lost += lines;
};

test("none is lost to a file, though each turn of the event loop makes more of them than is written at once", async () => {
  const destination = new LogDestination({ fd, maxPendingBytes: 9_000_000, onLost });
  const line = `${"x".repeat(999)}\n`;
  for (let turns = 0; turns < 60; turns += 1) {
    const before = statSync(path).size;
    for (let at = 0; at < 300; at += 1) destination.write(line);
    // The turn goes on until the file has taken what was handed to it: it has grown, and grows no further.
    let size = before;
    for (let tries = 0; tries < 50; tries += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      const now = statSync(path).size;
      if (now > before && now === size) break;
      size = now;
    }
    await turn();
  }
  await expect.poll(() => statSync(path).size + lost * line.length).toBe(60 * 300 * line.length);
  expect(lost).toBe(0);
});

test("what is being written when the process ends is written once", async () => {
  const destination = new LogDestination({ fd, maxPendingBytes: 10_000_000, onLost });
  const lines = Array.from({ length: 20_000 }, (_, at) => `{"line":${at},"text":"${"x".repeat(at % 50)}"}\n`);
  for (const line of lines) destination.write(line);
  await destination.flush(10_000);
  destination.flushSync(1000);
  expect(readFileSync(path, "utf8") === lines.join("")).toBe(true);
  await destination.flush(10_000);
});

test("lines above the bound are counted as lost instead of kept", () => {
  const destination = new LogDestination({ fd, maxPendingBytes: 10, onLost });
  for (let at = 0; at < 5; at += 1) destination.write("four\n");
  destination.flushSync(1000);
  expect([readFileSync(path, "utf8"), lost]).toEqual(["four\nfour\n", 3]);
});

test("the bound counts bytes, so that no line with letters beyond ASCII is cut", () => {
  const destination = new LogDestination({ fd, maxPendingBytes: 10, onLost });
  for (let at = 0; at < 2; at += 1) destination.write("\u00e4\u00e4\u00e4\u00e4\n");
  destination.flushSync(1000);
  expect([readFileSync(path, "utf8"), lost]).toEqual(["\u00e4\u00e4\u00e4\u00e4\n", 1]);
});

test("what a stalled reader does not take before the process ends is given up in time", () => {
  const pipe = join(directory, "pipe");
  spawnSync("mkfifo", [pipe]);
  const stalled = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const destination = new LogDestination({ fd: stalled, maxPendingBytes: 1_000_000, onLost });
  for (let at = 0; at < 500; at += 1) destination.write(`${"x".repeat(999)}\n`);
  const late = spawn("sh", ["-c", `sleep 3; exec cat ${pipe}`], { stdio: "ignore" });
  destination.flushSync(50);
  // The pipe is still full, so nobody has waited for the late reader.
  expect(() => writeSync(stalled, "x")).toThrow("EAGAIN");
  late.kill("SIGKILL");
  closeSync(stalled);
});
