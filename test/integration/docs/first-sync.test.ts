import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test as plainTest } from "vitest";
import type { ProgramsState } from "../../../docs/client/programs-client.ts";
import type { Fate } from "../../support/front.ts";
import { forEachTest } from "../../support/lasting.ts";
import { projectRoot } from "../../support/markdown.ts";
import { openPollingStage } from "../../support/polling-stage.ts";
import { hasPython } from "../../support/python-client.ts";
import { runToEnd } from "../../support/run-to-end.ts";

const samples = [
  ["JavaScript", [process.execPath, join(projectRoot, "dist/docs/client/first-sync.js")], true],
  ["Python", ["python3", "-B", join(projectRoot, "docs/client/first_sync.py")], hasPython],
] as const;

const stage = forEachTest(() =>
  openPollingStage({ RATE_LIMIT_REQUESTS: "10", RATE_LIMIT_WINDOW_SECONDS: "1" }),
);

const places = { capacity: { total: 9, used: 1, remaining: 8 }, departureDate: null };
const publish = (count: number): Promise<unknown> =>
  stage.publish(
    Array.from({ length: count }, (_, at) => `p${at}`),
    () => ({ list: places, detail: { departurePoint: null } }),
  );

async function kept(): Promise<ProgramsState | undefined> {
  const text = await readFile(join(stage.directory, "programs.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

async function readDetails(): Promise<number> {
  return Object.values((await kept())?.programs ?? {}).filter(({ detail }) => detail !== null).length;
}

describe.each(samples)("the sample in %s", (_language, [program, ...args], isThere) => {
  const test = plainTest.skipIf(!isThere);
  const env = (): Record<string, string> => ({
    PARTNER_API: stage.front.url,
    PARTNER_TOKEN: stage.token.plaintext,
  });

  function start(): ChildProcess {
    const { PATH } = process.env;
    return spawn(program, args, { cwd: stage.directory, env: { PATH, ...env() }, stdio: "ignore" });
  }

  function runWhole(more: Readonly<Record<string, string>> = {}) {
    return runToEnd(program, args, { ...env(), ...more }, stage.directory);
  }

  async function kill(child: ChildProcess): Promise<void> {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  }

  test("goes on where it was when it was killed in the middle of the first copy", async () => {
    await publish(40);
    const first = start();
    await expect.poll(readDetails, { timeout: 20_000 }).toBeGreaterThan(0);
    await kill(first);
    const read = await readDetails();
    expect(read).toBeLessThan(40);
    const from = stage.front.seen.length;
    const { status, output } = await runWhole();
    expect([status, output]).toEqual([0, expect.stringContaining("40 programs after")]);
    const asked = stage.front.seen.slice(from).map(({ path }) => path);
    // One may be refused: the run that was killed has used the window up.
    expect(new Set(asked).size).toBe(1 + 40 - read);
    expect([await readDetails(), Object.keys((await kept())?.pending ?? {})]).toEqual([40, []]);
    const files = (await readdir(stage.directory)).filter((name) => !name.endsWith(".lock"));
    expect(files.sort()).toEqual(["programs.json", "programs.log"]);
  });

  test("ends with 75 and a sentence beside an earlier run, and a killed one leaves no lock behind", async () => {
    await publish(2);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    stage.fate = async (count): Promise<Fate> => {
      if (count === 1) await held;
      return "passes";
    };
    const first = start();
    await expect.poll(() => stage.front.seen.length).toBe(1);
    const second = await runWhole();
    expect([second.status, second.output.trim()]).toEqual([
      75,
      expect.stringMatching(/^Another run is still at work on .*programs\.json; this one did nothing\.$/),
    ]);
    expect(stage.front.seen.length).toBe(1);
    await kill(first);
    release();
    expect((await runWhole()).status).toBe(0);
  });

  test("ends with 0 where its output is not UTF-8, and where its log is on a full disk", async () => {
    await stage.publish(["p0"], () => ({
      list: { ...places, name: "الأندلس" },
      detail: { departurePoint: null },
    }));
    await symlink("/dev/full", join(stage.directory, "programs.log"));
    const { status, stdout } = await runWhole({ PYTHONIOENCODING: "cp1252" });
    expect([status, stdout]).toEqual([0, expect.stringContaining("1 programs after 2 requests")]);
    expect(stdout).toMatch(/الأندلس|\\u0627\\u0644/);
  });

  test.each([
    ["an address that is none", { PARTNER_API: "htps://127.0.0.1" }, /^The base address has to be https:/],
    ["no token", { PARTNER_TOKEN: "" }, /^The token is empty/],
  ])("ends with 1 and one sentence for %s", async (_what, env, sentence) => {
    const { status, output } = await runWhole(env);
    expect([status, output.trim().split("\n")]).toEqual([1, [expect.stringMatching(sentence)]]);
    expect(stage.front.seen).toEqual([]);
  });

  test("ends with 1 and names what could not be read, or that the token is refused", async () => {
    await publish(2);
    stage.fate = (_count, path) => (path === "/v1/programs/p1" ? 403 : "passes");
    const { status, output } = await runWhole();
    expect([status, output]).toEqual([1, expect.stringContaining("2 programs after 3 requests")]);
    expect(output).toMatch(/GET \/v1\/programs\/p1: status 403, request [0-9a-f-]{36}\n/);
    const refused = await runWhole({ PARTNER_TOKEN: "ppr_wrong" });
    expect([refused.status, refused.output.trim()]).toEqual([
      1,
      expect.stringMatching(/^GET \/v1\/programs: status 401, request [0-9a-f-]{36}$/),
    ]);
    const log = await readFile(join(stage.directory, "programs.log"), "utf8");
    expect(log.match(/request [0-9a-f-]{36}/g)?.length).toBe(4);
  });
});
