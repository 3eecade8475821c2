import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CommandOptions, CommandResult } from "../../support/command-line.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const secret = "0123456789abcdef0123456789abcdef";
const desk = forAllTests(openSupportDesk);
const folder = folderForAllTests();
const secretFile = join(folder, "secret");
let running: InspectRun;

beforeAll(async () => {
  await desk.build();
  await writeFile(secretFile, `${secret}\n`);
});

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
    const path = join(folder, "weak");
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
  running = await runInspect([], { env: { LOG_LEVEL: "info" } });
  const key = /key=([\w-]+)/.exec(running.printed)?.[1] ?? "";
  const encoded = `%${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
  for (const path of [`/?key=${key}`, `/?a=1&k%65y=${encoded}`, `/style.css?key=${key}x`])
    await ask([], path);
  const { stderr } = await running.stop();
  expect(visits({ stderr })).toHaveLength(3);
  expect(stderr).not.toContain(key.slice(1));
});

test("P66: a token that somebody pasted is not in the log, however it is encoded", async () => {
  running = await runInspect([], { env: { LOG_LEVEL: "info" } });
  const pasted = "Az9".repeat(16);
  const spellings = ["ppr_", "ppr%5F", "ppr%5f", "p%70r_", "ppr%255F", "%25%37%30pr_"];
  for (const spelling of spellings) await ask([], `/find?q=${spelling}${pasted}x`);
  await ask([], `/requests/ppr%5F${pasted}x?key=${pasted}`);
  const result = await running.stop();
  expect(visits(result)).toHaveLength(spellings.length + 1);
  expect(result.stderr).not.toContain(pasted);
});

describe("behind a proxy that signs people in", () => {
  beforeEach(async () => {
    running = await runInspect([
      "--user-header",
      "X-Email",
      "--proxy-secret-file",
      secretFile,
      "--host-name",
      "desk.example",
    ]);
  });
  afterEach(() => running.stop());

  const proxy = ["X-Inspect-Secret", secret] as const;
  const ada = ["X-Email", "ada@desk.example"] as const;

  test("P61: whoever the proxy names sees the pages, and the log says who looked at what", async () => {
    const { status, text } = await ask(
      [["Host", "desk.example"], proxy, ada],
      `/tenants/${deskTenant}?q=deer`,
    );
    expect([status, text]).toEqual([200, expect.stringContaining("Deer of Nara")]);
    const result = await running.stop();
    expect(visits(result)).toEqual([
      expect.objectContaining({
        user: "ada@desk.example",
        method: "GET",
        target: `/tenants/${deskTenant}?q=deer`,
        status: 200,
        remoteAddress: "127.0.0.1",
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      }),
    ]);
    expect(result.stderr).not.toContain(secret);
    expect(running.printed).not.toContain(secret);
  });

  test.each<[string, readonly (readonly [string, string])[]]>([
    ["a name alone", [ada]],
    ["a wrong secret", [ada, ["X-Inspect-Secret", secret.replace("0", "1")]]],
    ["the beginning of the secret", [ada, ["X-Inspect-Secret", secret.slice(0, -1)]]],
    ["the secret twice", [ada, proxy, proxy]],
    ["the secret, and no name", [proxy]],
    ["an empty name", [proxy, ["X-Email", " "]]],
    ["two names", [proxy, ada, ["X-Email", "eve@desk.example"]]],
    ["a name as long as a page", [proxy, ["X-Email", "e".repeat(5000)]]],
  ])("P61: %s opens nothing", async (_, headers) => {
    const { status, text } = await ask(headers);
    expect(status).toBe(403);
    expect(text).not.toContain(deskTenant);
    expect(visits(await running.stop())).toEqual([expect.objectContaining({ user: null, status: 403 })]);
  });

  test.each<[string, number, readonly (readonly [string, string])[]]>([
    ["a name that somebody pointed here", 421, [["Host", "rebound.example"]]],
    ["a name that only begins so", 421, [["Host", "desk.example.evil.example"]]],
    ["its own name", 200, [["Host", "DESK.example:8443"]]],
    [
      "a page of another site, within it",
      403,
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Mode", "no-cors"],
        ["Sec-Fetch-Dest", "image"],
      ],
    ],
    [
      "a page of another site, in a frame",
      403,
      [
        ["Sec-Fetch-Site", "same-site"],
        ["Sec-Fetch-Mode", "navigate"],
        ["Sec-Fetch-Dest", "iframe"],
      ],
    ],
    [
      "a script of a neighbouring site",
      403,
      [
        ["Sec-Fetch-Site", "same-site"],
        ["Sec-Fetch-Mode", "cors"],
        ["Sec-Fetch-Dest", "empty"],
      ],
    ],
    [
      "a link in a ticket, or the way back from the login",
      200,
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Mode", "navigate"],
        ["Sec-Fetch-Dest", "document"],
      ],
    ],
  ])("P63: asked by %s it answers %d", async (_, status, headers) => {
    expect((await ask([proxy, ada, ...headers])).status).toBe(status);
  });
});

/** `inspect` as it is started, until it is stopped. */
interface InspectRun {
  readonly port: number;
  readonly printed: string;
  readonly ended: Promise<CommandResult>;
  stop(): Promise<CommandResult>;
}

async function runInspect(
  args: readonly string[],
  options: Pick<CommandOptions, "env" | "now"> = {},
): Promise<InspectRun> {
  const interruption = new AbortController();
  let ended: Promise<CommandResult> | undefined;
  const printed = await new Promise<string>((resolve) => {
    ended = desk.run(["inspect", "--port", "0", ...args], {
      ...options,
      signal: interruption.signal,
      onOutput: resolve,
    });
  });
  if (ended === undefined) throw new Error("did not start");
  const ending = ended;
  return {
    port: Number(/:(\d+)\//.exec(printed)?.[1]),
    printed,
    ended: ending,
    stop: () => {
      interruption.abort();
      return ending;
    },
  };
}

/** Asks the pages. Headers as they are given, twice the same one as well. */
async function ask(
  headers: readonly (readonly [string, string])[],
  path = "/",
): Promise<{ readonly status: number; readonly text: string }> {
  const { port } = running;
  const named = headers.some(([name]) => name === "Host");
  const all = named ? headers : [["Host", `127.0.0.1:${port}`] as const, ...headers];
  // A connection of its own: a kept one may have been closed while the test was busy with something else.
  const req = request({ port, host: "127.0.0.1", path, headers: all.flat(), agent: false });
  req.end();
  const [res] = await once(req, "response");
  let text = "";
  for await (const chunk of res) text += String(chunk);
  return { status: res.statusCode, text };
}

/** What the log has of the visits, each line an object. */
function visits({ stderr }: Pick<CommandResult, "stderr">): readonly Readonly<Record<string, unknown>>[] {
  return stderr
    .split("\n")
    .filter((text) => text.includes('"visit"'))
    .map((text) => JSON.parse(text));
}
