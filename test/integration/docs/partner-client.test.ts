import { readdir, readFile } from "node:fs/promises";
import { afterEach, describe, expect, test as plainTest } from "vitest";
import type { Fate } from "../../support/front.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { openPollingStage, type PollingStage } from "../../support/polling-stage.ts";

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `p${at}`);
let stage: PollingStage;
afterEach(() => stage.close());

/** Statuses of the answers to the partner's tokens. */
const answers = (): readonly unknown[] =>
  stage.fixture.log
    .filter(({ msg, tokenId }) => msg === "request" && tokenId !== stage.ownTokenId)
    .map(({ status }) => status);

describe.each(pollingClients)("the client for partners in %s", (_language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    const given = { baseUrl: stage.front.url, token: stage.token.plaintext, state: stage.state };
    return create({ ...given, refreshPerPoll: 5, maxAttempts: 6, ...options });
  }

  test("converges while a new snapshot is published with every request", async () => {
    stage = await openPollingStage();
    await stage.publish(ids(30));
    let generation = 1;
    stage.fate = async (): Promise<Fate> => {
      generation += 1;
      const capacity = { total: 99, used: generation, remaining: 0 };
      const fields = () => ({ list: { capacity } });
      const content = { programIds: ids(30), fields, generation, mark: "walk" };
      await publishSnapshot(stage.fixture.store, "alpine-walks", content);
      return "passes";
    };
    const result = await client().sync();
    expect([result.requests, result.programs.size]).toEqual([31, 30]);
  });

  test("never exceeds its quota: it waits for the next window before it is refused", async () => {
    stage = await openPollingStage({ RATE_LIMIT_REQUESTS: "4", RATE_LIMIT_WINDOW_SECONDS: "1" });
    await stage.publish(ids(9));
    expect((await client().sync()).programs.size).toBe(9);
    expect(answers()).toEqual(Array.from({ length: 10 }, () => 200));
  });

  test.each([404, 503] as const)(
    "keeps what it has read when a proxy answers %s later on, and goes on from there",
    async (fate) => {
      stage = await openPollingStage();
      await stage.publish(ids(6));
      stage.fate = (count) => (count > 4 ? fate : "passes");
      const first = await client({ maxAttempts: 1 }).sync();
      const unread = ["p3", "p4", "p5"];
      expect([...first.failed].map(([id, { status }]) => [id, status])).toEqual(
        unread.map((id) => [id, fate]),
      );
      expect(unread.map((id) => first.programs.get(id)?.detail)).toEqual([null, null, null]);
      stage.fate = () => "passes";
      const next = await client().sync();
      expect(next).toMatchObject({ requests: 1 + 3, added: [], changed: unread, detailsLeft: 0 });
      const files = await readdir(stage.directory);
      expect(files.filter((name) => !name.endsWith(".lock"))).toEqual(["state.json"]);
    },
  );

  test("keeps a path prefix of the base address, asks for gzip, and opens one connection", async () => {
    stage = await openPollingStage();
    await stage.publish(ids(8));
    expect((await client().sync()).programs.size).toBe(8);
    const { seen, connections } = stage.front;
    expect(new Set(seen.map(({ headers }) => headers["accept-encoding"]))).toEqual(new Set(["gzip"]));
    expect([seen.length, connections]).toEqual([9, 1]);
  });

  test.each([500, 503, "cut"] as const)("asks again after an answer that may pass (%s)", async (fate) => {
    stage = await openPollingStage();
    await stage.publish(ids(2));
    stage.fate = (count) => (count === 2 ? fate : "passes");
    const { requests, programs } = await client().sync();
    expect([requests, programs.size]).toEqual([4, 2]);
  });

  test("leaves the copy as it is when the list is a 404, and says what to look at", async () => {
    stage = await openPollingStage();
    await stage.publish(ids(2));
    await client().sync();
    const before = await readFile(stage.state, "utf8");
    await expect(client({ baseUrl: `${stage.fixture.api}/wrong` }).sync()).rejects.toThrow(/base address/);
    expect(await readFile(stage.state, "utf8")).toBe(before);
  });

  test("gives up at once where asking again does not help, and names the request", async () => {
    stage = await openPollingStage();
    await expect(client({ token: "ppr_wrong" }).sync()).rejects.toThrow(/status 401, request [0-9a-f-]{36}/);
    expect(answers()).toEqual([401]);
  });
});
