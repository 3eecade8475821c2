import { describe, expect, test as plainTest } from "vitest";
import { forEachTest } from "../../support/lasting.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { openPollingStage } from "../../support/polling-stage.ts";

const stage = forEachTest(openPollingStage);

const list = "/v1/programs";
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `p${at}`);
/** A change that no list shows. */
const faq = (answer: string, of: string) => (id: string) =>
  id === of ? { detail: { content: { faq: [{ question: "How far?", answer }] } } } : {};

describe.each(pollingClients)("Snapshot-Since: the client in %s", (_language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    const given = { baseUrl: stage.front.url, token: stage.token.plaintext, state: stage.state };
    return create({ ...given, refreshPerPoll: 10, maxAttempts: 1, ...options });
  }

  test("has one changed FAQ of 500 programs after one poll of two requests", async () => {
    await stage.publish(ids(500));
    const first = await client().sync();
    expect(first.requests).toBe(501);
    expect(stage.front.seen[0]?.headers).not.toHaveProperty("snapshot-since");
    await stage.publish(ids(500), faq("Ten miles.", "p321"));
    const next = await client().sync();
    expect(next).toMatchObject({ requests: 2, changed: ["p321"], detailsLeft: 0, waitingForRefresh: 0 });
    expect(next.programs.get("p321")?.detail?.content?.faq[0]?.answer).toBe("Ten miles.");
    const [asked, detail] = stage.front.seen.slice(501);
    expect([asked?.headers["snapshot-since"], detail?.path]).toEqual([first.snapshotId, `${list}/p321`]);
    expect((await client().sync()).requests).toBe(1);
  });

  test("asks once more where a server is a moment behind, and reads nothing in vain", async () => {
    await stage.publish(ids(9));
    const headers = { authorization: `Bearer ${stage.token.plaintext}` };
    const old = await fetch(`${stage.fixture.api}${list}`, { headers });
    const behind = {
      "content-type": "application/json",
      "snapshot-id": old.headers.get("snapshot-id") ?? "",
    };
    const body = await old.text();
    await stage.publish(ids(9), faq("Ten miles.", "p3"));
    await client().sync();
    const before = stage.front.seen.length;
    stage.fate = (count) =>
      count === before + 1
        ? { status: 200, headers: { ...behind, "snapshot-changed": "*" }, body }
        : "passes";
    expect(await client().sync()).toMatchObject({ requests: 2, changed: [], waitingForRefresh: 0 });
  });

  test.each([
    ["an older gateway, which has no such header", {}],
    ["a gateway that cannot say", { "snapshot-changed": "*" }],
  ])("reads some again in each poll, after asking twice, behind %s", async (_what, more) => {
    await stage.publish(ids(9));
    await client().sync();
    const now = await stage.publish(ids(9), faq("Ten miles.", "p8"));
    const headers = { "content-type": "application/json", "snapshot-id": now.snapshotId, ...more };
    stage.fate = (_count, path) =>
      path === list ? { status: 200, headers, body: now.list.toString() } : "passes";
    expect(await client({ refreshPerPoll: 5 }).sync()).toMatchObject({
      requests: 2 + 5,
      waitingForRefresh: 4,
    });
    expect(await client({ refreshPerPoll: 5 }).sync()).toMatchObject({ requests: 1 + 4, changed: ["p8"] });
    expect((await client({ refreshPerPoll: 5 }).sync()).requests).toBe(1);
  });
});
