import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test as plainTest } from "vitest";
import type { Fate } from "../../support/front.ts";
import { forEachTest } from "../../support/lasting.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { openPollingStage, otherStageTenant } from "../../support/polling-stage.ts";

const stage = forEachTest(openPollingStage);

const list = '{"data":[],"meta":{"count":0}}';
const signed = { "content-type": "application/json", "snapshot-id": "20270201T031500Z-0a1b2c3d" };
const packed = gzipSync(list);

describe.each(pollingClients)("the client for partners in %s, in trouble,", (_language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    const { front, token, state } = stage;
    const given = { baseUrl: front.url, token: token.plaintext, state, refreshPerPoll: 5, maxAttempts: 3 };
    return create({ ...given, ...options });
  }

  test("says after a failed poll what has changed since the last one that succeeded", async () => {
    await stage.publish(["a", "b", "c"]);
    const programs = client({ maxAttempts: 1 });
    await programs.sync();
    await stage.publish(["b", "c", "d"], (id) => (id === "b" ? { list: { name: "another" } } : {}));
    stage.fate = (_count, path) => (path === "/v1/programs" ? "passes" : 401);
    await expect(programs.sync()).rejects.toThrow("status 401");
    stage.fate = () => "passes";
    expect(await programs.sync()).toMatchObject({ added: ["d"], changed: ["b"], removed: ["a"] });
    expect(await programs.sync()).toMatchObject({ added: [], changed: [], removed: [] });
  });

  test("never shows what may be another company's, also where a detail is a 500", async () => {
    await stage.publish(["a", "b"], () => ({ detail: { departurePoint: "Platform 9" } }));
    await stage.publish(["a", "b"], (id) => ({ list: { name: `by the sea ${id}` } }), otherStageTenant);
    await client().sync();
    stage.fate = (_count, path) => (path === "/v1/programs/b" ? 500 : "passes");
    const other = await client({ token: stage.otherToken.plaintext, maxAttempts: 1 }).sync();
    expect(other).toMatchObject({ changed: ["a", "b"], detailsLeft: 1 });
    expect(other.programs.get("a")?.detail).not.toHaveProperty("departurePoint");
    expect(other.programs.get("b")).toMatchObject({ item: { name: "by the sea b" }, detail: null });
  });

  test("goes on with its copy when its token was rotated, and keeps no token in it", async () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    await stage.publish(ids, () => ({ detail: { departurePoint: "Platform 9" } }));
    await client().sync();
    const token = stage.secondToken.plaintext;
    expect(await client({ token }).sync()).toMatchObject({
      requests: 1,
      added: [],
      changed: [],
      removed: [],
    });
    // A snapshot was published around the rotation, too.
    await stage.publish(ids, (id) => ({
      list: id === "c" ? { name: "another" } : {},
      detail: { departurePoint: "Platform 9" },
    }));
    const next = await client({ refreshPerPoll: 0 }).sync();
    expect(next).toMatchObject({ requests: 2, changed: ["c"], detailsLeft: 0 });
    const text = await readFile(stage.state, "utf8");
    for (const { plaintext } of [stage.token, stage.secondToken]) expect(text).not.toContain(plaintext);
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
      await stage.publish(["a"]);
      await client().sync();
      const before = await readFile(stage.state, "utf8");
      stage.fate = () => answer;
      await expect(client({ maxAttempts: 1 }).sync()).rejects.toThrow(
        /GET \/v1\/programs: no answer \(.+\), request [0-9a-f-]{36}/,
      );
      expect(await readFile(stage.state, "utf8")).toBe(before);
      const from = stage.front.seen.length;
      stage.fate = (count) => (count === from + 1 ? answer : "passes");
      expect(await client().sync()).toMatchObject({ requests: 2, removed: [] });
    },
  );

  test.each([301, 307])("follows no redirect (%d), and its token goes nowhere else", async (status) => {
    const headers = { location: `${stage.fixture.api}/v1/programs` };
    stage.fate = () => ({ status, headers });
    await expect(client().sync()).rejects.toThrow(`status ${status}`);
    expect([
      stage.front.seen.length,
      stage.fixture.log.filter(({ msg }) => msg === "request").length,
    ]).toEqual([1, 0]);
  });

  test.each([
    ["a 429 without headers", 429, {}, 0],
    ["a 429 whose Retry-After is a date", 429, { "retry-after": dateAt(1), date: dateAt(0) }, 1],
    ["a 503 with Retry-After", 503, { "retry-after": "1" }, 1],
    ["a 429 whose Retry-After is nonsense", 429, { "retry-after": "soon" }, 0],
  ] as const)("waits after %s", async (_what, status, headers, seconds) => {
    await stage.publish([]);
    stage.fate = (count) => (count === 1 ? { status, headers } : "passes");
    const from = performance.now();
    expect((await client().sync()).requests).toBe(2);
    expect(performance.now() - from).toBeGreaterThanOrEqual(seconds * 1000);
  });

  test("keeps what it has read when its token ends within a poll, and goes on with the next one", async () => {
    await stage.publish(["a", "b", "c"]);
    stage.fate = (count) => (count > 2 ? { status: 401, body: "{}" } : "passes");
    const programs = client();
    await expect(programs.sync()).rejects.toThrow("GET /v1/programs/b: status 401");
    expect(stage.front.seen.length).toBe(3);
    stage.fate = () => "passes";
    expect(await programs.sync()).toMatchObject({ requests: 3, added: ["a", "b", "c"] });
  });

  test.each(["", '{"format":2', "[]", '{"format":2}', '{"format":1,"programs":{}}'])(
    "names a copy that is none (%j) and leaves it alone",
    async (text) => {
      await writeFile(stage.state, text);
      await expect(client().sync()).rejects.toThrow(
        `${stage.state} is not a whole state file of this client`,
      );
      expect([await readFile(stage.state, "utf8"), stage.front.seen.length]).toEqual([text, 0]);
    },
  );

  test.each(["", "\n"])(
    "refuses a token that none can be, and shows none of it (ends with %j)",
    async (end) => {
      const bad = end === "" ? "" : stage.token.plaintext + end;
      const poll = async () => await client({ token: bad }).sync();
      const error = await poll().catch(String);
      expect(error).toMatch(/The token is empty, or has a character that none has/);
      expect(error).not.toContain("ppr_");
      expect(stage.front.seen.length).toBe(0);
    },
  );

  test("asks for ids of every character as they are", async () => {
    const ids = ["ID.with_all~kinds-of.characters_0", "constructor", "1187", "a.".repeat(64)];
    await stage.publish(ids);
    expect([...(await client().sync()).programs.keys()].sort()).toEqual([...ids].sort());
    expect((await client().sync()).requests).toBe(1);
  });
});

function dateAt(seconds: number): string {
  return new Date(Date.parse("2001-01-01T00:00:00Z") + seconds * 1000).toUTCString();
}
