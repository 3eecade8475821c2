import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test as plainTest } from "vitest";
import { requestLine } from "../../../cli/operate/gateway-log/request-line.ts";
import type { Clocks } from "../../../gateway/clocks.ts";
import { type Fate, type Front, startFront } from "../../support/front.ts";
import { type GatewayFixture, startGateway, untilServed } from "../../support/gateway-fixture.ts";
import {
  manifestDigest,
  type PublishedSnapshot,
  publishPointer,
  publishSnapshot,
  type SnapshotContent,
} from "../../support/gateway-snapshots.ts";
import { issueToken } from "../../support/gateway-tokens.ts";
import { projectRoot } from "../../support/markdown.ts";
import { run } from "../../support/partner-tools.ts";
import { type PollingClient, type PollingOptions, pollingClients } from "../../support/polling-clients.ts";
import { setClocks } from "../../support/set-clocks.ts";

const tenant = "alpine-walks";
const token = issueToken(tenant);
/** Of the test itself. */
const own = issueToken(tenant, { rateLimit: 1_000_000 });
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `p${at}`);
let fixture: GatewayFixture;
let front: Front | undefined;
let directory: string;
let generation: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "partner-client-"));
  generation = 0;
});
afterEach(async () => {
  await front?.stop();
  front = undefined;
  await fixture?.close();
  await rm(directory, { recursive: true, force: true });
});

async function store(
  programIds: readonly string[],
  fields: SnapshotContent["fields"] = () => ({}),
  after?: PublishedSnapshot,
): Promise<PublishedSnapshot> {
  generation += 1;
  const content = { programIds, fields, generation, mark: "walk", after };
  return await publishSnapshot(fixture.store, tenant, content);
}

/** Resolves when the gateway serves it. */
async function publish(...content: Parameters<typeof store>): Promise<PublishedSnapshot> {
  const snapshot = await store(...content);
  await untilServed(fixture, snapshot, own);
  return snapshot;
}

async function serve(env: Readonly<Record<string, string>> = {}, clocks?: Clocks): Promise<void> {
  fixture = await startGateway({
    env: { SNAPSHOT_REFRESH_MS: "0", RATE_LIMIT_REQUESTS: "100000", ...env },
    fill: (_store, tokens) => tokens.write([token, own]),
    ...(clocks === undefined ? {} : { clocks }),
  });
}

function answers(status?: number): number {
  return fixture.log.filter(
    (line) =>
      line.msg === "request" && line.tokenId !== own.entry.tokenId && (status ?? line.status) === line.status,
  ).length;
}

describe.each(pollingClients)("the client for partners in %s", (_language, create, isThere) => {
  const test = plainTest.skipIf(!isThere);

  function client(options: Partial<PollingOptions> = {}): PollingClient {
    return create({
      baseUrl: fixture.api,
      token: token.plaintext,
      state: join(directory, "state.json"),
      refreshPerPoll: 5,
      maxAttempts: 6,
      ...options,
    });
  }

  test("makes one request when nothing has changed", async () => {
    await serve();
    await publish(ids(20));
    const programs = client();
    const first = await programs.sync();
    expect([first.requests, first.programs.size, first.added.length]).toEqual([21, 20, 20]);
    expect(await programs.sync()).toMatchObject({ requests: 1, added: [], changed: [], removed: [] });
    expect(answers()).toBe(22);
  });

  test("reads the list and one detail when one of 500 programs has changed", async () => {
    await serve();
    const before = await publish(ids(500));
    const programs = client();
    expect((await programs.sync()).requests).toBe(501);
    const capacity = { total: 9, used: 1, remaining: 8 };
    await publish(ids(500), (id) => (id === "p77" ? { list: { capacity } } : {}), before);
    const next = await programs.sync();
    expect(next).toMatchObject({ requests: 2, changed: ["p77"], waitingForRefresh: 0 });
    expect(next.programs.get("p77")?.item.capacity.used).toBe(1);
  });

  test("brings a change that only a detail shows within programs / refreshPerPoll polls, then rests", async () => {
    await serve();
    await publish(ids(12));
    const programs = client();
    await programs.sync();
    await publish(ids(12), (id) => (id === "p11" ? { detail: { departurePoint: "Platform 9" } } : {}));
    let polls = 0;
    for (let place: unknown; place === undefined; polls += 1)
      place = (await programs.sync()).programs.get("p11")?.detail?.departurePoint;
    expect(polls).toBeLessThanOrEqual(3);
    while ((await programs.sync()).requests > 1) polls += 1;
    expect(polls).toBeLessThanOrEqual(3);
  });

  test("reads no detail twice from one publication, through a rollback and the return from it", async () => {
    await serve();
    const programs = client();
    const snapshots = [
      await store(ids(20)),
      await store(ids(20), (id) => (id === "p7" ? { list: { name: "new" } } : {})),
    ];
    for (const at of [0, 1, 0, 1]) {
      const snapshot = snapshots[at];
      if (snapshot === undefined) throw new Error("not published");
      generation += 1;
      const manifestSha256 = manifestDigest(snapshot.manifest);
      await publishPointer(fixture.store, { ...snapshot, generation, manifestSha256 });
      await untilServed(fixture, snapshot, own);
      while ((await programs.sync()).requests > 1);
    }
    const requests = fixture
      .logText()
      .split("\n")
      .flatMap((line) => requestLine(line) ?? []);
    const details = requests.filter(
      ({ route, tokenId }) => route === "detail" && tokenId === token.entry.tokenId,
    );
    const publications = snapshots.map(({ snapshotId }) =>
      details.filter((line) => line.snapshotId === snapshotId),
    );
    expect(publications.map(({ length }) => length)).toEqual([40, 40]);
    for (const { programId } of details.slice(0, 20)) {
      expect(details.filter((line) => line.programId === programId)).toHaveLength(4);
    }
  });

  test("converges while a new snapshot is published with every request", async () => {
    await serve();
    await publish(ids(30));
    let busy = true;
    const publishing = (async () => {
      while (busy)
        await store(ids(30), () => ({ list: { capacity: { total: 99, used: generation, remaining: 0 } } }));
    })();
    const result = await client()
      .sync()
      .finally(() => {
        busy = false;
      });
    await publishing;
    expect([result.requests, result.programs.size]).toEqual([31, 30]);
  });

  test("drops what the list no longer has, and what is a 404 by now", async () => {
    await serve();
    await publish(ids(3));
    const programs = client();
    await programs.sync();
    await publish(["p0", "p2"]);
    const next = await programs.sync();
    expect([next.removed, [...next.programs.keys()]]).toEqual([["p1"], ["p0", "p2"]]);
  });

  test("never exceeds its quota: it waits for the next window before it is refused", async () => {
    await serve({ RATE_LIMIT_REQUESTS: "4", RATE_LIMIT_WINDOW_SECONDS: "1" });
    await publish(ids(9));
    expect((await client().sync()).programs.size).toBe(9);
    expect([answers(200), answers(429)]).toEqual([10, 0]);
  });

  test("waits as long as a 429 says when others have used the quota up", async () => {
    const clocks = setClocks();
    await serve({ RATE_LIMIT_REQUESTS: "1", RATE_LIMIT_WINDOW_SECONDS: "2" }, clocks);
    await publish([]);
    let usedUpAt = 0;
    front = await startFront(fixture.api, async (count): Promise<Fate> => {
      if (count === 1) {
        const headers = { authorization: `Bearer ${token.plaintext}` };
        await fetch(`${fixture.api}/v1/programs`, { headers });
        usedUpAt = performance.now();
      } else clocks.advance(performance.now() - usedUpAt);
      return "passes";
    });
    expect((await client({ baseUrl: front.url }).sync()).requests).toBe(2);
    expect(answers(429)).toBe(1);
  });

  test.each([404, 503] as const)(
    "keeps what it has read when a proxy answers %s later on, and goes on from there",
    async (fate) => {
      await serve();
      await publish(ids(6));
      front = await startFront(fixture.api, (count) => (count > 4 ? fate : "passes"));
      const first = await client({ baseUrl: front.url, maxAttempts: 1 }).sync();
      expect([...first.failed].map(([id, { status }]) => [id, status])).toEqual(
        ["p3", "p4", "p5"].map((id) => [id, fate]),
      );
      const unread = [...first.programs].filter(([, { detail }]) => detail === null);
      expect(unread.map(([id]) => id)).toEqual(["p3", "p4", "p5"]);
      const next = await client().sync();
      expect(next).toMatchObject({ requests: 1 + 3, added: [], changed: ["p3", "p4", "p5"], detailsLeft: 0 });
      expect((await readdir(directory)).filter((name) => !name.endsWith(".lock"))).toEqual(["state.json"]);
    },
  );

  test("keeps a path prefix of the base address, asks for gzip, and opens one connection", async () => {
    await serve();
    await publish(ids(8));
    front = await startFront(fixture.api);
    expect((await client({ baseUrl: front.url }).sync()).programs.size).toBe(8);
    expect(new Set(front.seen.map(({ headers }) => headers["accept-encoding"]))).toEqual(new Set(["gzip"]));
    expect([front.seen.length, front.connections]).toEqual([9, 1]);
  });

  test.each([500, 503, "cut"] as const)("asks again after an answer that may pass (%s)", async (fate) => {
    await serve();
    await publish(ids(2));
    front = await startFront(fixture.api, (count) => (count === 2 ? fate : "passes"));
    const { requests, programs } = await client({ baseUrl: front.url }).sync();
    expect([requests, programs.size]).toEqual([4, 2]);
  });

  test("leaves the copy as it is when the list is a 404, and says what to look at", async () => {
    await serve();
    await publish(ids(2));
    await client().sync();
    const before = await readFile(join(directory, "state.json"), "utf8");
    await expect(client({ baseUrl: `${fixture.api}/wrong` }).sync()).rejects.toThrow(/base address/);
    expect(await readFile(join(directory, "state.json"), "utf8")).toBe(before);
  });

  test("gives up at once where asking again does not help, and names the request", async () => {
    await serve();
    await expect(client({ token: "ppr_wrong" }).sync()).rejects.toThrow(/status 401, request [0-9a-f-]{36}/);
    expect(answers(401)).toBe(1);
  });
});

plainTest("the package has the client as its export ./client, with types", async () => {
  const code =
    'import { createProgramsClient } from "partner-programs/client"; console.log(typeof createProgramsClient)';
  const { status, output } = await run(process.execPath, ["--input-type=module", "-e", code], projectRoot);
  expect([status, output.trim()]).toEqual([0, "function"]);
  const types = await readFile(join(projectRoot, "dist/docs/client/programs-client.d.ts"), "utf8");
  expect(types).toContain(
    "export declare function createProgramsClient(options: ClientOptions): ProgramsClient",
  );
});
