import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import { type CommandOptions, type CommandResult, runCommand } from "../../support/command-line.ts";
import { commandNamed } from "../../support/command-lines.ts";
import { commandPaths } from "../../support/command-paths.ts";
import { hostileProgram, openHostileDesk, spoilCast } from "../../support/hostile-desk.ts";
import { forgery, hostileText, outputFaults, pastedToken } from "../../support/hostile-text.ts";
import { forAllTests } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { type S3Server, startS3Server, testBucket } from "../../support/s3-server.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";
import { withUnwritablePaths } from "../../support/unwritable-paths.ts";

/**
 * Hostile text from every source, and what each command prints of it: no control character but line breaks
 * and the program's own colours, no line that begins with what somebody else wrote, and no token that
 * somebody pasted. A command that stands in no table here fails the test.
 */

/**
 * `quotes`: the output holds something hostile, made harmless. Otherwise the command merely must stay
 * harmless.
 */
interface Call {
  readonly args: readonly string[];
  readonly quotes?: boolean;
}

const tenant = ["--tenant", deskTenant];
const partner = ["--base-url", "https://programs.example.com", "--contact", "api@example.com"];
const quotes = (...args: readonly string[]): Call => ({ args, quotes: true });
const runs = (...args: readonly string[]): Call => ({ args });

/** What is asked of the desk whose rows, store and log are hostile. */
const onHostileDesk: Readonly<Record<string, readonly Call[]>> = {
  "source init": [
    runs("source", "init"),
    runs("source", "init", "--views-only"),
    runs("source", "init", "--skeleton"),
  ],
  "source seed": [runs("source", "seed", "--programs", "1")],
  "source check": [quotes("source", "check")],
  "source preview": [
    quotes("source", "preview", ...tenant),
    quotes("source", "preview", ...tenant, "--program", hostileProgram),
    quotes("source", "preview", ...tenant, "--program", hostileText),
  ],
  "snapshot build": [
    quotes("snapshot", "build", "--dry-run"),
    quotes("snapshot", "build", ...tenant, "--on-invalid", "skip"),
  ],
  "snapshot watch": [quotes("snapshot", "watch")],
  "snapshot status": [quotes("snapshot", "status"), quotes("snapshot", "status", ...tenant)],
  "snapshot show": [
    runs("snapshot", "show", ...tenant),
    quotes("snapshot", "show", ...tenant, "--list"),
    quotes("snapshot", "show", ...tenant, "--legacy"),
    quotes("snapshot", "show", ...tenant, "--program", hostileProgram),
    { args: ["snapshot", "show", ...tenant, "--program", hostileProgram, "--raw"] },
  ],
  "snapshot diff": [quotes("snapshot", "diff", ...tenant)],
  "snapshot explain": [
    quotes("snapshot", "explain", ...tenant, "--program", hostileProgram),
    quotes("snapshot", "explain", ...tenant, "--program", "BAD-STATE"),
    quotes("snapshot", "explain", ...tenant, "--program", hostileText),
  ],
  "snapshot list": [quotes("snapshot", "list", ...tenant)],
  "snapshot verify": [runs("snapshot", "verify")],
  "snapshot rollback": [runs("snapshot", "rollback", ...tenant, "--to", "20260101T000000Z-00000000")],
  "snapshot release": [runs("snapshot", "release", "--tenant", "nobody")],
  "snapshot prune": [runs("snapshot", "prune", "--dry-run")],
  "snapshot export": [runs("snapshot", "export", ...tenant, "--out", "/dev/null")],
  "store check": [runs("store", "check"), runs("store", "check", "--policies")],
  "token create": [runs("token", "create", ...tenant, "--name", "Website")],
  "token rotate": [runs("token", "rotate", "TOKEN")],
  "token expire": [runs("token", "expire", "TOKEN", "--at", "90d")],
  "token revoke": [runs("token", "revoke", "TOKEN"), runs("token", "revoke", ...tenant)],
  "token list": [quotes("token", "list")],
  "token usage": [quotes("token", "usage", "--log", "-"), quotes("token", "usage", "--all", "--log", "-")],
  "tenant list": [quotes("tenant", "list")],
  "tenant remove": [runs("tenant", "remove", "nobody"), runs("tenant", "remove", deskTenant)],
  "tenant rename": [runs("tenant", "rename", deskTenant, "nobody")],
  "audit list": [runs("audit", "list"), runs("audit", "list", ...tenant)],
  "request explain": [
    quotes("request", "explain", "request-1", "--log", "-"),
    quotes("request", "explain", hostileText, "--log", "-"),
    quotes("request", "explain", `${hostileText}?`, "--log", "-"),
  ],
  "docs export": [
    runs("docs", "export", ...partner, "--company", "Tours", "--out", "/dev/null"),
    runs("docs", "export", ...partner, "--company", hostileText, "--out", "/dev/null"),
  ],
  inspect: [runs("inspect", "--port", "0"), runs("inspect", "--port", "0", "--log", "-")],
  "sandbox init": [runs("sandbox", "init"), runs("sandbox", "init", "--remove")],
  config: [runs("config")],
  openapi: [runs("openapi")],
  demo: [runs("demo", "--check")],
};

const commands = commandPaths().filter((path) => (commandNamed(path)?.commands.length ?? 0) === 0);
const names = commands.map((path) => path.join(" "));

const desk = forAllTests(openHostileDesk);
const broken = forAllTests(openSupportDesk);
let s3: S3Server;

beforeAll(async () => {
  await spoilCast(broken);
  s3 = await startS3Server();
  s3.quirks.refusal = hostileText;
});

afterAll(async () => {
  await s3?.close();
});

// After the server is there.
withAwsEnvironment(() => s3.env);

test("every command stands in the table", () => {
  expect(Object.keys(onHostileDesk).sort()).toEqual([...names].sort());
});

test.each(names)("of hostile rows, documents and logs, %s makes nothing worse than text", async (name) => {
  for (const { args, quotes: isQuoted } of callsOf(name)) {
    const shown = await shownOf(args, desk.env);
    if (isQuoted) expect(shown, args.join(" ")).toContain(forgery);
  }
});

test.each(["snapshot build", "snapshot watch", "snapshot explain", "source check"])(
  "of the errors of a database whose view fails on hostile text, %s makes nothing worse than text",
  async (name) => {
    let shown = "";
    for (const { args } of callsOf(name)) shown += await shownOf(args, broken.env);
    expect(shown).toContain(forgery);
  },
);

test.each(names)(
  "of a store that answers with hostile error codes, %s makes nothing worse than text",
  async (name) => {
    const env = { ...s3.env, DATABASE_URL: desk.env.DATABASE_URL, STORE_URL: `s3://${testBucket}` };
    let shown = "";
    for (const { args } of callsOf(name)) shown += await shownOf(args, env);
    if (/^(snapshot|store|token)/.test(name)) expect(shown).toContain(forgery);
  },
);

const variables = ["DATABASE_URL", "STORE_URL", "DATA_DIR", "LEGACY_CAPACITY", "AWS_REGION", "LOG_LEVEL"];
test.each(variables)("of a hostile %s commands make nothing worse than text", async (variable) => {
  const addresses = ["file:/tmp/", "s3://", "postgres://127.0.0.1:1/"];
  const prefixes = variable.endsWith("_URL") ? ["", ...addresses] : [""];
  for (const prefix of sized({ whole: prefixes, quick: prefixes.slice(0, 1) })) {
    for (const name of ["config", "snapshot status", "snapshot build", "store check", "source check"]) {
      const [call] = callsOf(name);
      await shownOf(call?.args ?? [], { ...desk.env, [variable]: prefix + hostileText });
    }
  }
});

describe("of hostile arguments", () => {
  const linesWith = (text: string) =>
    commandPaths().flatMap((path) => [
      [...path, text],
      [...path, `--${text}`],
      [...path, "-x", text],
      ...(commandNamed(path)?.options ?? [])
        .filter(({ required, optional }) => required || optional)
        .map(({ long }) => [...path, ...required(path, long), long ?? "", text]),
      ...(commandNamed(path)?.registeredArguments ?? []).map((_, at) => [
        ...path,
        ...required(path, undefined),
        ...Array.from({ length: at + 1 }, () => text),
      ]),
    ]);
  const lines = [...linesWith(hostileText), ...linesWith(pastedToken)];

  test.each(commandPaths().map((path) => path.join(" ")))("partner-programs %s", async (name) => {
    const own = lines.filter((args) => commandPathOf(args) === name);
    expect(own.length).toBeGreaterThan(0);
    for (const args of own) {
      await shownOf(withUnwritablePaths(args), { ...desk.env, DATABASE_URL: "postgres://127.0.0.1:1/none" });
    }
  });

  test("names of files", async () => {
    // As much as a name of a file can hold.
    const path = join(desk.storeDirectory, `.${hostileText.slice(0, 100)}`);
    await writeFile(path, desk.log);
    for (const args of [
      ["token", "usage", "--log", path],
      ["token", "usage", "--log", `${path}.gone`],
      ["request", "explain", "request-1", "--log", `${path}.gone`],
      ["snapshot", "export", ...tenant, "--out", `${path}.out`],
      ["snapshot", "export", ...tenant, "--out", `${path}.out`],
      ["snapshot", "build", "--dry-run", "--report", `${path}/report`],
    ])
      await shownOf(args, desk.env);
  });
});

test("snapshot show --raw gives a program the exact bytes, and a terminal the same JSON made harmless", async () => {
  const args = ["snapshot", "show", ...tenant, "--program", hostileProgram, "--raw"];
  const { stdoutBytes } = await desk.run(args);
  const terminal = await desk.run(args, { columns: 80 });
  expect(JSON.parse(terminal.stdout)).toEqual(JSON.parse(stdoutBytes.toString()));
  expect(stdoutBytes.toString()).toContain("\u202e");
  expect(terminal.stdout).not.toContain("\u202e");
});

function callsOf(name: string): readonly Call[] {
  const calls = onHostileDesk[name] ?? [];
  const hasJson = commandNamed(name.split(" "))?.options.some(({ long }) => long === "--json") === true;
  if (!hasJson) return calls;
  return calls.flatMap((call) => [call, { ...call, args: [...call.args, "--json"] }]);
}

/** Options that a command insists on, so that it gets as far as the one in question. */
function required(path: readonly string[], except: string | undefined): readonly string[] {
  const options = commandNamed(path)?.options ?? [];
  return options
    .filter(({ mandatory, long }) => mandatory && long !== except)
    .flatMap(({ long }) => [long ?? "", long === "--tenant" ? deskTenant : "x"]);
}

function commandPathOf(args: readonly string[]): string {
  const paths = commandPaths().filter((path) => path.every((word, at) => args[at] === word));
  return (paths.sort((a, b) => b.length - a.length)[0] ?? []).join(" ");
}

/**
 * What the command shows, on a pipe, and on a terminal without the net below all output; fails when any of it
 * steers.
 */
async function shownOf(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  type Way = readonly [name: string, isTerminal: boolean, options: CommandOptions];
  const terminal = { columns: 90, errorColumns: 90 };
  const pipe: Way = ["on a pipe", false, { env: { LOG_LEVEL: "debug", ...env } }];
  const net: Way = ["on a terminal", true, { env, ...terminal }];
  // What is harmless without the net is harmless with it. The log is for programs, and has the net alone.
  const bare: Way = [
    "without the net",
    true,
    { env: { ...env, LOG_LEVEL: "silent" }, ...terminal, isBare: true },
  ];
  // Exact bytes are for programs, too.
  const isExact = args.includes("--raw") || args.includes("openapi");
  const ways = sized({ whole: isExact ? [net] : [pipe, bare], quick: [net] });
  let shown = "";
  for (const [way, isTerminal, options] of ways) {
    const actual = args.map((arg) => (arg === "TOKEN" ? desk.tokenIds[0] : arg));
    const { stdout, stderr } = await ended(actual, options);
    const what = `partner-programs ${JSON.stringify(args)} ${way}`;
    expect(outputFaults(stdout, isTerminal), `${what}, standard output`).toEqual([]);
    expect(outputFaults(stderr, isTerminal), `${what}, standard error`).toEqual([]);
    // Tokens are the net's alone.
    if (options.isBare !== true) expect(stdout + stderr, what).not.toContain(pastedToken.slice(0, 20));
    shown += stdout + stderr;
  }
  return shown;
}

/** Runs the command; those that go on until they are stopped are stopped at their first output. */
async function ended(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const interruption = new AbortController();
  const isEndless = args[0] === "inspect" || args[1] === "watch";
  return await runCommand(args, {
    now: new Date("2026-11-21T12:00:00.000Z"),
    stdin: desk.log,
    internal: "shown",
    signal: interruption.signal,
    ...(isEndless ? { onOutput: () => interruption.abort() } : {}),
    ...options,
    // No command is to make anything in this folder; the demo can't begin in that one.
    env: { DATA_DIR: "/dev/null", ...options.env },
  });
}
