import { describe, expect, test as plainTest } from "vitest";
import type { SyncResult } from "../../../docs/client/programs-client.ts";
import type { Fate } from "../../support/front.ts";
import type { PublishedSnapshot } from "../../support/gateway-snapshots.ts";
import { forEachTest } from "../../support/lasting.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { openPollingStage } from "../../support/polling-stage.ts";

const stage = forEachTest(openPollingStage);

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `p${at}`);
const detailPath = (id: string): string => `/v1/programs/${id}`;

/**
 * What a copy should be: the list's fields and the others of each program, from the bytes that the gateway
 * serves.
 */
function served({ details }: PublishedSnapshot): Readonly<Record<string, object>> {
  return Object.fromEntries(
    [...details].map(([id, bytes]) => {
      const { name, status, ...further } = JSON.parse(bytes.toString()).data;
      const { prices, id: _id, ...detail } = further;
      return [id, { item: { id, name, status, prices }, detail }];
    }),
  );
}

function copied({ programs }: SyncResult): Readonly<Record<string, object>> {
  return Object.fromEntries([...programs].map(([id, { item, detail }]) => [id, { item, detail }]));
}

/** All prices and all texts are new with each round. */
const fields = (round: number) => (id: string) => ({
  list: { prices: { startingAmount: round + 0.5, rooms: [], children: [] } },
  detail: { description: `${id}, round ${round}` },
});

const headers = { "content-type": "application/json", "snapshot-id": "20270201T031500Z-0a1b2c3d" };
/** Of the API, of what is on the way, and one that answers another question. */
const fates: readonly Fate[] = [
  500,
  "cut",
  404,
  403,
  { status: 200, headers, body: '{"data":{"id":"another"}}' },
];

/** A change that no list shows. */
const faq = (answer: string, of: string) => (id: string) =>
  id === of ? { detail: { content: { faq: [{ question: "How far?", answer }] } } } : {};

describe.each(pollingClients)("a copy by the client in %s", (_language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    const given = { baseUrl: stage.front.url, token: stage.token.plaintext, state: stage.state };
    return create({ ...given, refreshPerPoll: 100, maxAttempts: 1, ...options });
  }

  test("is behind in nothing but the one detail that fails, whichever it is, and however", async () => {
    const all = ids(fates.length);
    await stage.publish(all, fields(0));
    await client().sync();
    for (const [round, bad] of all.entries()) {
      const listed = all.filter((id) => id !== `p${(round + 2) % all.length}`);
      const whole = served(await stage.publish(listed, fields(round + 1)));
      stage.fate = (_count, path) => (path === detailPath(bad) ? (fates[round] ?? 500) : "passes");
      const poll = await client().sync();
      expect([...poll.failed.keys()]).toEqual([bad]);
      // Its list fields are those of now, and its detail the last one that was read.
      const detail = { description: expect.stringMatching(`${bad}, round [0-${round}]$`) };
      expect(copied(poll)).toEqual({ ...whole, [bad]: { ...whole[bad], detail } });
      stage.fate = () => "passes";
      const next = await client().sync();
      expect([next.failed.size, next.detailsLeft, next.changed]).toEqual([0, 0, [bad]]);
      expect(copied(next)).toEqual(whole);
    }
  });

  test("is told of every price and of what is gone while all details fail", async () => {
    await stage.publish(ids(40), fields(0));
    await client().sync();
    const current = await stage.publish(ids(39), fields(1));
    stage.fate = (_count, path) => (path === "/v1/programs" ? "passes" : 500);
    const updates: number[] = [];
    const poll = await client({ onUpdate: ({ changed }) => updates.push(changed.length) }).sync();
    expect([poll.removed, poll.changed.length, updates]).toEqual([["p39"], 39, [39]]);
    expect(copied(poll)).toMatchObject(
      Object.fromEntries(
        Object.entries(served(current)).map(([id, program]) => [id, { ...program, detail: {} }]),
      ),
    );
    // Ten failures one after the other are the server's; the rest is for the next poll.
    expect([poll.requests, poll.failed.size, poll.detailsLeft]).toEqual([1 + 10, 10, 39]);
  });

  test("reads what has changed before what is new, and no more than detailsPerPoll", async () => {
    await stage.publish(ids(3), fields(0));
    await client().sync();
    await stage.publish(ids(6), fields(1));
    const from = stage.front.seen.length;
    const poll = await client({ detailsPerPoll: 4 }).sync();
    expect([poll.requests, poll.detailsLeft, poll.added]).toEqual([1 + 4, 2, ["p3", "p4", "p5"]]);
    expect(stage.front.seen.slice(from + 1).map(({ path }) => path)).toEqual(ids(4).map(detailPath));
    expect(await client({ detailsPerPoll: 4 }).sync()).toMatchObject({ requests: 3, detailsLeft: 0 });
  });

  test("asks for the list again in the middle of a long poll, and tells at once what is gone", async () => {
    await stage.publish(ids(5), fields(0));
    let published: Promise<PublishedSnapshot> | undefined;
    stage.fate = async (_count, path): Promise<Fate> => {
      if (path === detailPath("p1")) published ??= stage.publish(ids(4), fields(0));
      await published;
      return "passes";
    };
    const gone: [ids: readonly string[], requests: number][] = [];
    const onUpdate: PollingOptions["onUpdate"] = ({ removed }) => {
      if (removed.length > 0) gone.push([removed, stage.front.seen.length]);
    };
    const poll = await client({ listEveryMs: 0, refreshPerPoll: 0, onUpdate }).sync();
    expect(gone).toEqual([[["p4"], 5]]);
    // One list and one detail, three more times.
    expect([poll.requests, [...poll.programs.keys()]]).toEqual([2 * 4 + 1, ids(4)]);
  });

  test("Snapshot-Since: has one changed FAQ of 100 programs after one poll of two requests", async () => {
    await stage.publish(ids(100));
    const first = await client().sync();
    expect(first.requests).toBe(101);
    expect(stage.front.seen[0]?.headers).not.toHaveProperty("snapshot-since");
    await stage.publish(ids(100), faq("Ten miles.", "p71"));
    const next = await client().sync();
    expect(next).toMatchObject({ requests: 2, changed: ["p71"], detailsLeft: 0, waitingForRefresh: 0 });
    expect(next.programs.get("p71")?.detail?.content?.faq[0]?.answer).toBe("Ten miles.");
    const [asked, detail] = stage.front.seen.slice(101);
    expect([asked?.headers["snapshot-since"], detail?.path]).toEqual([first.snapshotId, detailPath("p71")]);
    expect((await client().sync()).requests).toBe(1);
  });

  test("asks once more where a server is a moment behind, and reads nothing in vain", async () => {
    await stage.publish(ids(9));
    const headers = { authorization: `Bearer ${stage.token.plaintext}` };
    const old = await fetch(`${stage.fixture.api}/v1/programs`, { headers });
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
      path === "/v1/programs" ? { status: 200, headers, body: now.list.toString() } : "passes";
    expect(await client({ refreshPerPoll: 5 }).sync()).toMatchObject({
      requests: 2 + 5,
      waitingForRefresh: 4,
    });
    expect(await client({ refreshPerPoll: 5 }).sync()).toMatchObject({ requests: 1 + 4, changed: ["p8"] });
    expect((await client({ refreshPerPoll: 5 }).sync()).requests).toBe(1);
  });
});
