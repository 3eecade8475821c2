import { once } from "node:events";
import { expect, test } from "vitest";
import { forgery, hostileText, outputFaults } from "../../support/hostile-text.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { runCli, startCli } from "../../support/run-cli.ts";

/**
 * The same of the program as a user starts it: `main.ts` lays the net, and prints what Node.js would print
 * itself.
 */

const directory = folderForAllTests();
const hostile = hostileText.replaceAll("\0", "");

test.each([
  ["an argument", ["snapshot", "build", "--concurrency", hostile], {}],
  ["a command", [hostile], {}],
  ["a setting", ["snapshot", "status"], { LOG_LEVEL: hostile, STORE_URL: hostile }],
  ["the name of a file", ["token", "usage", "--log", hostile.slice(0, 200)], {}],
])("%s is printed as text", async (_, args, env) => {
  const { status, stdout, stderr } = await runCli(args, {
    env: { STORE_URL: `file:${directory}`, ...env },
    cwd: directory,
  });
  expect([status, stdout, outputFaults(stderr, false)]).toEqual([2, "", []]);
});

test("a warning of Node.js and an error that nobody caught are printed as text, and the process fails", async () => {
  // Waits for the program to be up, so that it is the program that prints them.
  const message = JSON.stringify(hostile);
  const script = `const timer = setInterval(() => {
    if (process.listenerCount("uncaughtException") === 0) return;
    clearInterval(timer);
    process.emitWarning(${message});
    setImmediate(() => { throw new Error(${message}); });
  }, 5);`;
  const { child, ended } = startCli(["inspect", "--port", "0"], {
    env: {
      STORE_URL: `file:${directory}`,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}`,
    },
  });
  await once(child, "close");
  const { status, stderr } = await ended;
  expect([status, outputFaults(stderr, false)]).toEqual([1, []]);
  expect(stderr).toMatch(new RegExp(`^partner-programs: Warning: x ${forgery}`, "m"));
  expect(stderr).toMatch(new RegExp(`^partner-programs: x ${forgery}`, "m"));
  expect(stderr).toMatch(/^ {4}at /m);
});
