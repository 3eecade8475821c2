import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askPages, type InspectRun, type Reply, runInspect, visits } from "../../support/inspect-run.ts";
import { openSignInDesk, type SignInDesk, proxySecret as secret } from "../../support/sign-in-desk.ts";
import type { SupportDesk } from "../../support/support-desk.ts";

let signIn: SignInDesk;
let desk: SupportDesk;
let directory: string;
let secretFile: string;

beforeAll(async () => {
  signIn = await openSignInDesk();
  ({ desk, directory, secretFile } = signIn);
});

afterAll(() => signIn.close());

let running: InspectRun;

function ask(headers: readonly (readonly [string, string])[], path?: string): Promise<Reply> {
  return askPages(running.port, headers, path);
}

describe("P61: pages for a team are never open", () => {
  test.each([
    ["--listen 0.0.0.0", "has to sign in"],
    ["--listen ::", "has to sign in"],
    ["--host-name desk.example", "has to sign in"],
    ["--user-header X-Email", "needs --proxy-secret-file"],
    ["--user-header X-Email --proxy-secret-file /nowhere/secret", "can't be read \\(ENOENT\\)"],
    ["--user-header Cookie --proxy-secret-file SECRET", "can't name a person"],
    ["--user-header X-Inspect-Secret --proxy-secret-file SECRET", "can't name a person"],
    ["--proxy-secret-file SECRET", "goes with --user-header"],
    ["--password-file PASSWORDS", "unknown option '--password-file'"],
  ])("%s ends with 2 and says how to mend it", async (args, message) => {
    const words = args.replace("SECRET", secretFile).split(" ");
    const { status, stderr, stdout } = await desk.run(["inspect", "--port", "0", ...words]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(message));
  });

  test.each([
    ["short", "abc"],
    ["of several words", `${secret} ${secret}`],
    ["empty", ""],
  ])("a secret that is %s is refused, and not repeated", async (_, text) => {
    const path = join(directory, "weak");
    await writeFile(path, text);
    const { status, stderr } = await desk.run([
      ..."inspect --port 0 --user-header X-Email --proxy-secret-file".split(" "),
      path,
    ]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("32 to 512 characters")]);
    expect(stderr).not.toContain(secret);
  });
});

test("P66: the key of a run is not in its log, however it is written", async () => {
  running = await runInspect(desk, [], { env: { LOG_LEVEL: "info" } });
  const key = /key=([\w-]+)/.exec(running.printed)?.[1] ?? "";
  const encoded = `%${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
  for (const path of [`/?key=${key}`, `/?a=1&k%65y=${encoded}`, `/style.css?key=${key}x`])
    await ask([], path);
  const { stderr } = await running.stop();
  expect(visits({ stderr })).toHaveLength(3);
  expect(stderr).not.toContain(key.slice(1));
});

test("P66: a token that somebody pasted is not in the log, however it is encoded", async () => {
  running = await runInspect(desk, [], { env: { LOG_LEVEL: "info" } });
  const secret = "Az9".repeat(16);
  const spellings = ["ppr_", "ppr%5F", "ppr%5f", "p%70r_", "ppr%255F", "%25%37%30pr_"];
  for (const spelling of spellings) await ask([], `/find?q=${spelling}${secret}x`);
  await ask([], `/requests/ppr%5F${secret}x?key=${secret}`);
  const result = await running.stop();
  expect(visits(result)).toHaveLength(spellings.length + 1);
  expect(result.stderr).not.toContain(secret);
});
