import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test as plainTest } from "vitest";
import { type Fate, type Front, startFront } from "../../support/front.ts";
import { type GatewayFixture, startGateway, untilServed } from "../../support/gateway-fixture.ts";
import { publishSnapshot, type SnapshotContent } from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { projectRoot } from "../../support/markdown.ts";
import { runPartnerScript } from "../../support/partner-script.ts";
import { type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import type { PollingClient } from "../../support/python-client.ts";

const tenant = "alpine-walks";
const token = issueToken(tenant);
const otherToken = issueToken("coastal-walks");
/** Of the test itself. */
const own = { [tenant]: issueToken(tenant), "coastal-walks": issueToken("coastal-walks") };
let fixture: GatewayFixture;
let front: Front;
let directory: string;
let state: string;
let generation = 0;
/** What becomes of the requests from now on, counted from the test's first. */
let fate: (count: number, path: string) => Fate;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "partner-trouble-"));
  state = join(directory, "state.json");
  fate = () => "passes";
  fixture = await startGateway({
    env: { SNAPSHOT_REFRESH_MS: "0", RATE_LIMIT_REQUESTS: "100000" },
    fill: (_store, tokens) => tokens.write([token, otherToken, ...Object.values(own)]),
  });
  front = await startFront(fixture.api, (count, path) => fate(count, path));
});
afterEach(async () => {
  await front.stop();
  await fixture.close();
  await rm(directory, { recursive: true, force: true });
});

/** Resolves when the gateway serves it. */
async function publish(
  programIds: readonly string[],
  fields: SnapshotContent["fields"] = () => ({}),
  of: keyof typeof own = tenant,
): Promise<void> {
  generation += 1;
  const content = { programIds, fields, generation, mark: "walk" };
  await untilServed(fixture, await publishSnapshot(fixture.store, of, content), own[of]);
}

const list = '{"data":[],"meta":{"count":0}}';
const signed = { "content-type": "application/json", "snapshot-id": "20270201T031500Z-0a1b2c3d" };
const packed = gzipSync(list);
/** Of one client: `createPythonClient` has a process for each poll. */
const twoPolls = `
import os, sys
sys.path.insert(0, os.environ["FOLDER"])
from programs_client import ProgramsApiError, ProgramsClient
client = ProgramsClient(os.environ["BASE_URL"], os.environ["TOKEN"], os.environ["STATE"], max_attempts=1)
try:
    client.sync()
except ProgramsApiError:
    client.sync()
`;

describe.each(pollingClients)("the client for partners in %s, in trouble,", (language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    const given = { baseUrl: front.url, token: token.plaintext, state, refreshPerPoll: 5, maxAttempts: 3 };
    return create({ ...given, ...options });
  }

  test("says after a failed poll what has changed since the last one that succeeded", async () => {
    await publish(["a", "b", "c"]);
    const programs = client({ maxAttempts: 1 });
    await programs.sync();
    await publish(["b", "c", "d"], (id) => (id === "b" ? { list: { name: "another" } } : {}));
    fate = (_count, path) => (path === "/v1/programs" ? "passes" : 503);
    await expect(programs.sync()).rejects.toThrow("status 503");
    fate = () => "passes";
    expect(await programs.sync()).toMatchObject({ added: ["d"], changed: ["b"], removed: ["a"] });
    expect(await programs.sync()).toMatchObject({ added: [], changed: [], removed: [] });
  });

  test("names what only the detail shows as changed, and what has gone since the list was read as removed", async () => {
    await publish(["a", "b"]);
    const programs = client();
    await programs.sync();
    await publish(["a", "b"], (id) => (id === "a" ? { detail: { departurePoint: "Platform 9" } } : {}));
    fate = (_count, path) =>
      path === "/v1/programs/b" ? { status: 404, headers: signed, body: "{}" } : "passes";
    expect(await programs.sync()).toMatchObject({ added: [], changed: ["a"], removed: ["b"] });
  });

  test("brings a change of a detail that another gateway, a moment behind, did not have yet", async () => {
    await publish(["a"]);
    const programs = client();
    await programs.sync();
    const headers = { authorization: `Bearer ${token.plaintext}` };
    const old = await fetch(`${fixture.api}/v1/programs/a`, { headers });
    const behind = {
      status: 200,
      headers: { "content-type": "application/json", "snapshot-id": old.headers.get("snapshot-id") ?? "" },
      body: await old.text(),
    };
    await publish(["a"], () => ({ detail: { departurePoint: "Platform 9" } }));
    fate = (_count, path) => (path === "/v1/programs/a" ? behind : "passes");
    expect(await programs.sync()).toMatchObject({ requests: 2, changed: [], waitingForRefresh: 1 });
    fate = () => "passes";
    expect(await programs.sync()).toMatchObject({ requests: 2, changed: ["a"], waitingForRefresh: 0 });
    expect(await programs.sync()).toMatchObject({ requests: 1, changed: [] });
  });

  test("reads all others while the detail of one program is a 500, and that one once it is back", async () => {
    await publish(["a", "b", "c"]);
    const programs = client({ maxAttempts: 1 });
    await programs.sync();
    const places = { total: 9, used: 9, remaining: 0 };
    await publish(["a", "b", "c", "d"], (id) => (id === "a" ? { list: { capacity: places } } : {}));
    fate = (_count, path) => (path === "/v1/programs/d" || path === "/v1/programs/c" ? 500 : "passes");
    const next = await programs.sync();
    expect(next).toMatchObject({ added: [], changed: ["a"], waitingForRefresh: 2 });
    expect([...next.programs.keys()]).toEqual(["a", "b", "c"]);
    expect(next.programs.get("a")?.capacity).toEqual(places);
    fate = () => "passes";
    expect(await programs.sync()).toMatchObject({
      requests: 3,
      added: ["d"],
      changed: [],
      waitingForRefresh: 0,
    });
  });

  test("throws when one detail after the other is a 500", async () => {
    await publish(["a", "b", "c"]);
    fate = (_count, path) => (path === "/v1/programs" ? "passes" : 500);
    await expect(client({ maxAttempts: 1 }).sync()).rejects.toThrow("GET /v1/programs/a: status 500");
    expect(front.seen.length).toBe(3);
  });

  test("never shows what may be another company's, also where a detail is a 500", async () => {
    await publish(["a", "b"], () => ({ detail: { departurePoint: "Platform 9" } }));
    await publish(["a", "b"], undefined, "coastal-walks");
    await client().sync();
    fate = (_count, path) => (path === "/v1/programs/b" ? 500 : "passes");
    const other = client({ token: otherToken.plaintext, maxAttempts: 1 });
    await expect(other.sync()).rejects.toThrow("GET /v1/programs/b: status 500");
  });

  test("reads all details again for another token, which may be another company's", async () => {
    await publish(["a", "b"], (id) => (id === "a" ? { detail: { departurePoint: "Platform 9" } } : {}));
    await publish(["a", "b"], undefined, "coastal-walks");
    await client({ refreshPerPoll: 0 }).sync();
    const other = await client({ refreshPerPoll: 0, token: otherToken.plaintext }).sync();
    expect(other).toMatchObject({ requests: 3, changed: ["a"] });
    expect(other.programs.get("a")).not.toHaveProperty("departurePoint");
    expect(await readFile(state, "utf8")).not.toContain(otherToken.plaintext);
  });

  test.each([
    ["a page", { status: 200, headers: { "content-type": "text/html" }, body: "<html>Log in" }],
    ["a list of another server", { status: 200, body: list }],
    ["no list", { status: 200, headers: signed, body: '{"success":true,"programs":[]}' }],
    ["less than the list says", { status: 200, headers: signed, body: '{"data":[],"meta":{"count":2}}' }],
    [
      "damaged gzip",
      { status: 200, headers: { ...signed, "content-encoding": "gzip" }, body: packed.subarray(0, -9) },
    ],
  ] as const satisfies readonly (readonly [string, Fate])[])(
    "takes a 200 with %s for no answer: asks again, and keeps its copy",
    async (_what, answer) => {
      await publish(["a"]);
      await client().sync();
      const before = await readFile(state, "utf8");
      fate = () => answer;
      await expect(client({ maxAttempts: 1 }).sync()).rejects.toThrow(
        /GET \/v1\/programs: no answer \(.+\), request [0-9a-f-]{36}/,
      );
      expect(await readFile(state, "utf8")).toBe(before);
      const from = front.seen.length;
      fate = (count) => (count === from + 1 ? answer : "passes");
      expect(await client().sync()).toMatchObject({ requests: 2, removed: [] });
    },
  );

  test.each([301, 307])("follows no redirect (%d), and its token goes nowhere else", async (status) => {
    const headers = { location: `${fixture.api}/v1/programs` };
    fate = () => ({ status, headers });
    await expect(client().sync()).rejects.toThrow(`status ${status}`);
    expect([front.seen.length, fixture.log.filter(({ msg }) => msg === "request").length]).toEqual([1, 0]);
  });

  test.each([
    ["a 429 without headers", 429, {}, 0],
    ["a 429 whose Retry-After is a date", 429, { "retry-after": dateAt(1), date: dateAt(0) }, 1],
    ["a 503 with Retry-After", 503, { "retry-after": "1" }, 1],
    ["a 429 whose Retry-After is nonsense", 429, { "retry-after": "soon" }, 0],
  ] as const)("waits after %s", async (_what, status, headers, seconds) => {
    await publish([]);
    fate = (count) => (count === 1 ? { status, headers } : "passes");
    const from = performance.now();
    expect((await client().sync()).requests).toBe(2);
    expect(performance.now() - from).toBeGreaterThanOrEqual(seconds * 1000);
  });

  test("asks nothing before Retry-After is over, not even in the poll after the one that gave up", async () => {
    await publish([]);
    fate = (count) => (count === 1 ? { status: 503, headers: { "retry-after": "1" } } : "passes");
    const from = performance.now();
    if (language === "Python") {
      const partner = { FOLDER: join(projectRoot, "docs/client"), BASE_URL: front.url, STATE: state };
      await runPartnerScript(twoPolls, { ...partner, TOKEN: token.plaintext }, language);
    } else {
      const programs = client({ maxAttempts: 1 });
      await expect(programs.sync()).rejects.toThrow("status 503");
      await programs.sync();
    }
    expect(front.seen.length).toBe(2);
    expect(performance.now() - from).toBeGreaterThanOrEqual(1000);
  });

  test("keeps what it has read when its token ends within a poll, and goes on with the next one", async () => {
    await publish(["a", "b", "c"]);
    fate = (count) => (count > 2 ? { status: 401, body: "{}" } : "passes");
    const programs = client();
    await expect(programs.sync()).rejects.toThrow("GET /v1/programs/b: status 401");
    expect(front.seen.length).toBe(3);
    fate = () => "passes";
    expect(await programs.sync()).toMatchObject({ requests: 3, added: ["a", "b", "c"] });
  });

  test.each(["", '{"format":1', "[]", '{"format":1}', '{"format":2,"programs":{}}'])(
    "names a copy that is none (%j) and leaves it alone",
    async (text) => {
      await writeFile(state, text);
      await expect(client().sync()).rejects.toThrow(`${state} is not a whole state file of this client`);
      expect([await readFile(state, "utf8"), front.seen.length]).toEqual([text, 0]);
    },
  );

  test("writes its copy beside that of another process, never into it", async () => {
    await publish(["a", "b"]);
    await writeFile(`${state}.new`, "of another process");
    await Promise.all([client().sync(), client().sync()]);
    expect((await client().sync()).programs.size).toBe(2);
    expect(await readFile(`${state}.new`, "utf8")).toBe("of another process");
    expect((await readdir(directory)).length).toBe(2);
  });

  test.each(["", `${token.plaintext}\n`])(
    "refuses a token that none can be, and shows none of it",
    async (bad) => {
      const poll = async () => await client({ token: bad }).sync();
      const error = await poll().catch(String);
      expect(error).toMatch(/The token is empty, or has a character that none has/);
      expect(error).not.toContain("ppr_");
      expect(front.seen.length).toBe(0);
    },
  );

  test("asks for ids of every character as they are", async () => {
    const ids = ["ID.with_all~kinds-of.characters_0", "constructor", "1187", "a.".repeat(64)];
    await publish(ids);
    expect([...(await client().sync()).programs.keys()].sort()).toEqual([...ids].sort());
    expect((await client().sync()).requests).toBe(1);
  });
});

function dateAt(seconds: number): string {
  return new Date(Date.parse("2001-01-01T00:00:00Z") + seconds * 1000).toUTCString();
}
