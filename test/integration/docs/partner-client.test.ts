import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test as plainTest } from "vitest";
import type { Call, Update } from "../../../docs/client/programs-client.ts";
import type { Fate } from "../../support/front.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { projectRoot } from "../../support/markdown.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { openPollingStage, type PollingStage } from "../../support/polling-stage.ts";
import { hasPython } from "../../support/python-client.ts";
import { runToEnd } from "../../support/run-to-end.ts";

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

  test("tells what the list says before it asks for any detail, and how long the quota makes those wait", async () => {
    stage = await openPollingStage({ RATE_LIMIT_REQUESTS: "2", RATE_LIMIT_WINDOW_SECONDS: "1" });
    await stage.publish(["p0"]);
    const seen: {
      readonly update: Update;
      readonly requests: number;
      readonly names: readonly string[];
    }[] = [];
    const onUpdate = (update: Update): void => {
      const names = [...update.programs.values()].map(
        ({ item, detail }) => item.name + (detail === null ? "?" : ""),
      );
      seen.push({ update, requests: stage.front.seen.length, names });
    };
    // Another token, whose window it is that this uses up.
    await client({ token: stage.secondToken.plaintext }).sync();
    await stage.publish(ids(8));
    const from = stage.front.seen.length;
    const result = await client({ onUpdate }).sync();
    expect(seen[0]).toMatchObject({
      requests: from + 1,
      names: [
        "walk p0",
        ...ids(8)
          .slice(1)
          .map((id) => `walk ${id}?`),
      ],
      update: { added: ids(8).slice(1), changed: [], removed: [], detailsLeft: 7 },
    });
    // One more in this window of a second, then two in each.
    expect(seen[0]?.update.secondsLeft).toBe(3);
    // The details come before the end, each once.
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.slice(1).flatMap(({ update }) => update.changed)).toEqual(ids(8).slice(1));
    expect(result).toMatchObject({
      added: ids(8).slice(1),
      changed: [],
      removed: [],
      detailsLeft: 0,
      secondsLeft: 0,
    });
  });

  test("tells the same again when that was not taken", async () => {
    stage = await openPollingStage();
    await stage.publish(["a", "b"]);
    const onUpdate = (): void => {
      throw new Error("not taken");
    };
    await expect(client({ onUpdate }).sync()).rejects.toThrow("not taken");
    await expect(client({ onUpdate }).sync()).rejects.toThrow("not taken");
    const updates: Update[] = [];
    await client({ onUpdate: (update) => updates.push(update) }).sync();
    expect(updates.flatMap(({ added }) => added)).toEqual(["a", "b"]);
    expect(await client().sync()).toMatchObject({ requests: 1, added: [], changed: [] });
  });

  test("tells each request with its id, as the log of the gateway has it", async () => {
    stage = await openPollingStage();
    await stage.publish(["a", "b"]);
    const calls: Call[] = [];
    await client({ onCall: (call) => calls.push(call) }).sync();
    const logged = stage.fixture.log.filter(({ tokenId }) => tokenId === stage.token.entry.tokenId);
    expect(calls.map(({ requestId, status }) => ({ requestId, status }))).toEqual(
      logged.map(({ requestId, status }) => ({ requestId, status })),
    );
    expect(calls.map(({ path }) => path)).toEqual(["/v1/programs", "/v1/programs/a", "/v1/programs/b"]);
    stage.fate = () => "cut";
    const failing: Call[] = [];
    await expect(client({ maxAttempts: 1, onCall: (call) => failing.push(call) }).sync()).rejects.toThrow(
      /no answer/,
    );
    expect(failing).toEqual([expect.objectContaining({ path: "/v1/programs", status: 0 })]);
  });
});

plainTest.skipIf(!hasPython)("amounts are decimals in Python, as read and as kept", async () => {
  stage = await openPollingStage();
  const prices = {
    startingAmount: 1240.1,
    rooms: [
      { occupancy: 1, amount: 1690 },
      { occupancy: 2, amount: 1240.1 },
    ],
    children: [{ minAge: 0, maxAge: 1, amount: 0 }],
  };
  await stage.publish(["a"], () => ({ list: { prices } }));
  const code = `
import os, sys
sys.path.insert(0, os.environ["FOLDER"])
from programs_client import ProgramsClient
for poll in (1, 2):
    client = ProgramsClient(os.environ["BASE_URL"], os.environ["TOKEN"], os.environ["STATE"])
    prices = client.sync().programs["a"]["item"]["prices"]
    print(repr(prices["startingAmount"]), 3 * prices["startingAmount"], *[repr(p["amount"]) for p in prices["rooms"] + prices["children"]])
`;
  const partner = { FOLDER: join(projectRoot, "docs/client"), BASE_URL: stage.front.url, STATE: stage.state };
  const env = { ...partner, TOKEN: stage.token.plaintext };
  const { output } = await runToEnd("python3", ["-B", "-c", code], env);
  const line = "Decimal('1240.1') 3720.3 Decimal('1690') Decimal('1240.1') Decimal('0')";
  expect(output.trim().split("\n")).toEqual([line, line]);
  expect(JSON.parse(await readFile(stage.state, "utf8")).programs.a.item.prices).toEqual(prices);
});
