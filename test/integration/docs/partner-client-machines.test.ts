import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test as plainTest } from "vitest";
import { createProgramsClient, stateInMemory } from "../../../docs/client/programs-client.ts";
import { forEachTest } from "../../support/lasting.ts";
import { projectRoot } from "../../support/markdown.ts";
import { openServer } from "../../support/open-server.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { hasPython } from "../../support/python-client.ts";
import { runToEnd } from "../../support/run-to-end.ts";
import { startScriptedApi } from "../../support/scripted-api.ts";

const stage = forEachTest(async () => {
  const directory = await mkdtemp(join(tmpdir(), "partner-machines-"));
  const api = await startScriptedApi();
  const close = async (): Promise<void> => {
    await api.close();
    await rm(directory, { recursive: true, force: true });
  };
  api.follow(() => ({ id: "s1", generatedAt: "2027-02-01T03:15:00.000Z", programs: {} }));
  return { api, state: join(directory, "programs.json"), close };
});

/** A time so many seconds ago. */
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

describe.each(pollingClients)("on a partner's machine the client in %s", (_language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    const given = { baseUrl: stage.api.url, token: "ppr_any", state: stage.state };
    return create({ ...given, refreshPerPoll: 10, maxAttempts: 1, ...options });
  }

  test.each([
    "htps://programs.example.com",
    "programs.example.com:443",
    "https://",
    "//programs.example.com",
    "https://programs.example.com/?token=ppr_secret",
    "https://ppr_secret@programs.example.com",
    "https://programs.example.com:port",
  ])("refuses the base address %s in a sentence that does not repeat it", async (baseUrl) => {
    const poll = async () => await client({ baseUrl }).sync();
    const error = await poll().catch(String);
    expect(error).toMatch(/The base address has to be https:\/\/ and a host, and perhaps a path\.\s*$/);
    expect(error).not.toContain("ppr_secret");
  });

  test("gives up a body that trickles, within the time for one request", async () => {
    let ended = 0;
    const trickling = createServer((_request, response) => {
      response.writeHead(200, { "snapshot-id": "s1" });
      const drop = setInterval(() => response.write(" "), 10);
      response.on("close", () => {
        clearInterval(drop);
        ended += 1;
      });
    });
    const server = await openServer(trickling);
    try {
      const poll = client({ baseUrl: server.url, timeoutMs: 300 }).sync();
      await expect(poll).rejects.toThrow(/GET \/v1\/programs: no answer \(/);
      await expect.poll(() => ended).toBe(1);
    } finally {
      await server.close();
    }
  });

  test("leaves what another process may be writing, and removes what is old", async () => {
    const [young, old] = [`${stage.state}.young.new`, `${stage.state}.old.new`];
    for (const path of [young, old]) await writeFile(path, "{");
    await utimes(old, ago(3600), ago(3600));
    await client().sync();
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
  });
});

/** A lock that a process of another machine or container has taken, which wrote to it some seconds ago. */
async function lockElsewhere(seconds: number): Promise<void> {
  const owner = { id: "another", place: "another machine", pid: 1 };
  await writeFile(`${stage.state}.held`, JSON.stringify(owner));
  await utimes(`${stage.state}.held`, ago(seconds), ago(seconds));
}

describe("the lock of the client in TypeScript", () => {
  const [, create] = pollingClients[0];
  const client = (options: Partial<PollingOptions> = {}): PollingClient =>
    create({
      ...{ baseUrl: stage.api.url, token: "ppr_any", state: stage.state },
      ...{ refreshPerPoll: 10, maxAttempts: 1, ...options },
    });

  plainTest(
    "keeps to a poll of another machine, and not to one that has stood still for a minute",
    async () => {
      await lockElsewhere(30);
      await expect(client().sync()).rejects.toThrow("Another run is still at work");
      await lockElsewhere(90);
      expect([(await client().sync()).requests, existsSync(`${stage.state}.held`)]).toEqual([1, false]);
    },
  );

  plainTest("is not that of a second client of the same process", async () => {
    let second: Promise<unknown> | undefined;
    stage.api.follow(async () => {
      second ??= client().sync();
      await second.catch(() => {});
      return { id: "s1", generatedAt: "2027-02-01T03:15:00.000Z", programs: {} };
    });
    expect((await client().sync()).requests).toBe(1);
    await expect(second).rejects.toThrow("Another run is still at work");
  });

  plainTest("is looked at before each save, so that a process that stood still writes nothing", async () => {
    stage.api.follow(async () => {
      await lockElsewhere(0);
      return { id: "s1", generatedAt: "2027-02-01T03:15:00.000Z", programs: {} };
    });
    await expect(client().sync()).rejects.toThrow("Another run is still at work");
    expect([existsSync(stage.state), existsSync(`${stage.state}.held`)]).toEqual([false, true]);
  });
});

const warning = /The base address begins with http:\/\/, so the token can be read on the way/;

plainTest("the client in TypeScript says that http beyond the machine shows the token", async () => {
  const warned = once(process, "warning");
  createProgramsClient({ baseUrl: "http://127.0.0.1:1", token: "ppr_any", state: stateInMemory() });
  createProgramsClient({ baseUrl: "http://programs.example.com", token: "ppr_any", state: stateInMemory() });
  const [said] = await warned;
  expect(String(said)).toMatch(warning);
});

plainTest.skipIf(!hasPython)("the client in Python says so, too", async () => {
  const code = `
import sys
sys.path.insert(0, "docs/client")
from programs_client import ProgramsClient
for base in sys.argv[1:]:
    ProgramsClient(base, "ppr_any", "programs.json")
`;
  const run = (address: string) => runToEnd("python3", ["-B", "-c", code, address], {}, projectRoot);
  expect((await run("http://127.0.0.1:1")).output).toBe("");
  expect((await run("http://programs.example.com")).output).toMatch(warning);
});
