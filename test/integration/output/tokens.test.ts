import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { commandNamed } from "../../support/command-lines.ts";
import { commandPaths } from "../../support/command-paths.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";
import { withUnwritablePaths } from "../../support/unwritable-paths.ts";

/** Somebody pastes a token where something else belongs: no command prints it again, on either output, as JSON or not. */

const token = "ppr_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrs";
const desk = forAllTests(openSupportDesk);

beforeAll(async () => {
  await desk.build();
});
test.each(commandPaths().map((path) => path.join(" ")))("partner-programs %s", async (name) => {
  const path = name.split(" ").filter(Boolean);
  const { options = [], registeredArguments = [] } = commandNamed(path) ?? {};
  const needed = (except?: string): readonly string[] =>
    options
      .filter(({ mandatory, long }) => mandatory && long !== except)
      .flatMap(({ long }) => [long ?? "", long === "--tenant" ? deskTenant : "x"]);
  const lines = [
    [...path, token],
    [...path, `--${token}`],
    ...options
      .filter(({ required, optional }) => required || optional)
      .flatMap(({ long }) => [
        [...path, ...needed(long), long ?? "", token],
        [...path, ...needed(long), `${long}=${token}`],
      ]),
    ...registeredArguments.map(() => [...path, ...needed(), token]),
  ];
  for (const args of lines.flatMap((line) => [line, [...line, "--json"]])) {
    const safe = withUnwritablePaths(args);
    const env = { DATABASE_URL: "postgres://127.0.0.1:1/none", LOG_LEVEL: "debug" };
    // Pages are served until somebody stops them.
    const interruption = new AbortController();
    const { signal } = interruption;
    const onOutput = path[0] === "inspect" ? () => interruption.abort() : () => {};
    const options = { env, internal: "shown", stdin: `${token}\n`, signal, onOutput } as const;
    const { stdout, stderr } = await desk.run(safe, options);
    expect(stdout + stderr, safe.join(" ")).not.toContain(token.slice(0, 20));
  }
});

test("snapshot explain and a log that holds one", async () => {
  const line = {
    msg: "request",
    time: "2026-11-21T10:00:00.000Z",
    requestId: "r",
    status: 404,
    route: "detail",
    tenantId: deskTenant,
    programId: token,
    objectKey: token,
    cause: `no ${token}`,
  };
  const log = join(desk.storeDirectory, ".log");
  await writeFile(log, `${JSON.stringify(line)}\n`);
  for (const args of [
    ["snapshot", "explain", "--tenant", deskTenant, "--program", token],
    ["request", "explain", "r", "--log", log],
    ["token", "usage", "--all", "--log", log],
  ]) {
    for (const json of [[], ["--json"]]) {
      const { status, stdout, stderr } = await desk.run([...args, ...json]);
      expect([status, stdout.includes("ppr_…") || args[0] === "token"]).toEqual([0, true]);
      expect(stdout + stderr).not.toContain(token.slice(0, 20));
    }
  }
});
