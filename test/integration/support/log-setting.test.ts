import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { folderForAllTests } from "../../support/lasting.ts";

const tokenId = "tok_0123456789ABCdef";
const folder = folderForAllTests();
let log: string;

beforeAll(async () => {
  log = join(folder, "gateway.log");
  await writeFile(log, line("req-1"));
  await writeFile(join(folder, "other.log"), line("req-2"));
});

function line(requestId: string): string {
  const request = { level: "info", time: "2026-11-21T12:00:00.000Z", program: "gateway", msg: "request" };
  return `${JSON.stringify({ ...request, requestId, route: "list", status: 200, tokenId })}\n`;
}

function run(args: readonly string[], logFile?: string): Promise<CommandResult> {
  return runCommand(args, { env: { STORE_URL: `file:${folder}/store`, PARTNER_PROGRAMS_LOG: logFile } });
}

/** What each command that takes `--log` needs besides. */
const takers: Readonly<Record<string, readonly string[]>> = {
  "token usage": [],
  "request explain": ["req-1"],
};

test.each(Object.keys(takers))(
  "PARTNER_PROGRAMS_LOG is the log of %s without --log, and without both the call is wrong",
  async (name) => {
    const args = [...name.split(" "), ...(takers[name] ?? [])];
    expect(await run(args, log)).toMatchObject({ status: 0 });
    const { status, stderr } = await run(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--log FILE, or set PARTNER_PROGRAMS_LOG")]);
  },
);

test.each([
  ["token usage", ["token", "usage", "--json"]],
  ["request explain", ["request", "explain", "req-2", "--json"]],
])("%s goes on where one of several logs is cut off, and names it", async (_, args) => {
  const cut = join(folder, "cut.log.gz");
  await writeFile(cut, gzipSync(line("req-1").repeat(50)).subarray(0, -12));
  const logs = (...names: readonly string[]) => names.flatMap((name) => ["--log", name]);
  const { status, stdout, stderr } = await run([...args, ...logs(cut, join(folder, "other.log"))]);
  const told = JSON.parse(stdout);
  expect([status, told.faults]).toEqual([0, [expect.stringContaining("cut.log.gz ends early")]]);
  expect(stderr).toContain(args[0] === "token" ? "cut.log.gz ends early" : "");
  // What was read of the log counts, and so does the whole of the other one.
  if (args[0] === "token") expect(told.tokens[0].requests).toBeGreaterThan(40);
  expect((await run([...args, ...logs(cut)])).status).toBe(2);
});

test.each(["no spaces please", "a/b", "ü", "x".repeat(129)])(
  "W40 request explain says of %j that the gateway must have replaced it",
  async (id) => {
    const { status, stderr } = await run(["request", "explain", id], log);
    expect([status, stderr]).toEqual([1, expect.stringContaining("replaces any other")]);
  },
);
