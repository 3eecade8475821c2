import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { busiestKeys } from "../../../cli/operate/log-index/key-activity.ts";
import { SpoolFile } from "../../../cli/operate/log-index/line-spool.ts";
import { LogIndex } from "../../../cli/operate/log-index/log-index.ts";
import { idDigest } from "../../../cli/operate/log-index/request-columns.ts";
import type { RequestFilter } from "../../../cli/operate/log-index/request-filter.ts";
import type { Place } from "../../../cli/operate/log-index/top-rows.ts";
import { Failure } from "../../../core/failure.ts";
import { logLine, logLines } from "../../support/log-lines.ts";
import { sized } from "../../support/quick-pass.ts";

const { signal } = new AbortController();
let index = new LogIndex();

afterEach(() => {
  index[Symbol.dispose]();
  index = new LogIndex();
});

interface Sample {
  readonly requestId: string;
  readonly time: string;
  readonly tokenId: string;
  readonly tenantId: string;
  readonly programId: string;
  readonly route: string;
  readonly status: number;
}

const begin = Date.parse("2026-11-21T10:00:00.000Z");
const sample: fc.Arbitrary<Sample> = fc.record({
  requestId: fc.uuid(),
  // Few times, so that many share one; in no order.
  time: fc.integer({ min: 0, max: 20 }).map((second) => new Date(begin + second * 1000).toISOString()),
  tokenId: fc.constantFrom("tok_a", "tok_b"),
  tenantId: fc.constantFrom("t1", "t2", "t3"),
  programId: fc.constantFrom("P-1", "P-2"),
  route: fc.constantFrom("list", "detail", "legacy", "unknown"),
  status: fc.constantFrom(200, 401, 404, 500),
});

const filters: fc.Arbitrary<RequestFilter> = fc.record(
  {
    tokenId: fc.constantFrom("tok_a", "tok_c"),
    tenantId: fc.constantFrom("t1", "t2"),
    programId: fc.constantFrom("P-1"),
    route: fc.constantFrom("detail", "legacy", "other"),
    status: fc.constantFrom({ from: 400, to: 499 }, { from: 200, to: 200 }),
    fromMs: fc.integer({ min: begin, max: begin + 20_000 }),
    toMs: fc.integer({ min: begin, max: begin + 20_000 }),
  },
  { requiredKeys: [] },
);

/** Two ids that the columns of the index do not tell apart. */
function twins(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let number = 0; ; number += 1) {
    const id = `request-${number}`;
    const twin = seen.get(idDigest(id));
    if (twin !== undefined) return [twin, id];
    seen.set(idDigest(id), id);
  }
}

test("P68: a request whose id has the digest of another one's is told apart, and counted apart", async () => {
  const [wanted, other] = twins();
  await index.add(Buffer.from(logLine({ requestId: wanted, time: "2026-11-21T10:00:00.000Z" })));
  await index.add(Buffer.from(logLine({ requestId: other, time: "2026-11-21T11:00:00.000Z" })));
  for (const requestId of [wanted, other]) {
    const { lines, total } = await index.find({ filter: { requestId }, limit: 10 }, signal);
    expect([lines.map((line) => line.requestId), total]).toEqual([[requestId], 1]);
  }
});

test("P68: page by page a filter gives every request that passes it once, newest first", async () => {
  const law = fc.asyncProperty(
    fc.uniqueArray(sample, { selector: ({ requestId }) => requestId, maxLength: 60 }),
    filters,
    fc.integer({ min: 1, max: 7 }),
    async (samples, filter, limit) => {
      using own = new LogIndex();
      await own.add(Buffer.from(samples.map((line) => logLine({ ...line })).join("")));
      const wanted = samples.filter((line) => passes(line, filter));
      const seen: string[] = [];
      const times: string[] = [];
      for (let after: Place | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page = await own.find({ filter, after, limit }, signal);
        expect(page.total).toBe(wanted.length);
        seen.push(...page.lines.map(({ requestId }) => requestId));
        times.push(...page.lines.map(({ time }) => time));
        after = page.next;
      }
      expect([...seen].sort()).toEqual(wanted.map(({ requestId }) => requestId).sort());
      expect(times).toEqual([...times].sort().reverse());
    },
  );
  await fc.assert(law, { numRuns: sized({ whole: 200, quick: 30 }) });
});

function passes(line: Sample, { status, fromMs, toMs, ...ids }: RequestFilter): boolean {
  const at = Date.parse(line.time);
  return (
    Object.entries(ids).every(([name, value]) => Reflect.get(line, name) === value) &&
    (status === undefined || (line.status >= status.from && line.status <= status.to)) &&
    (fromMs === undefined || at >= fromMs) &&
    (toMs === undefined || at < toMs)
  );
}

describe("an index of more requests than fit into a block", () => {
  test("finds each of them, whether its line is in a file, being compressed or just written", async () => {
    const requestIds = Array.from({ length: 20_000 }, (_, at) => `request-${at}`);
    for (let at = 0; at < requestIds.length; at += 1000) {
      await index.add(Buffer.from(logLines(requestIds.slice(at, at + 1000))));
    }
    expect(index.requests).toBe(20_000);
    for (const requestId of ["request-0", "request-8191", "request-8192", "request-19999"]) {
      const { lines, total } = await index.find({ filter: { requestId }, limit: 5 }, signal);
      expect([total, lines.map((line) => line.requestId)]).toEqual([1, [requestId]]);
    }
  });

  test("P67: drops the oldest when there are too many, and says so", async () => {
    using small = new LogIndex({ segments: 1, blocksPerSegment: 2 });
    const perSegment = 2 * 8192;
    const line = (at: number, time: string) => logLine({ requestId: `r${at}`, time });
    const old = line(1, "2026-11-20T10:00:00.000Z");
    for (let done = 0; done < perSegment; done += 8192) await small.add(Buffer.from(old.repeat(8192)));
    expect([small.requests, small.isDropping]).toEqual([perSegment, false]);
    await small.add(Buffer.from(line(2, "2026-11-21T10:00:00.000Z")));
    expect([small.requests, small.isDropping, small.covers?.from]).toEqual([
      1,
      true,
      "2026-11-21T10:00:00.000Z",
    ]);
  });
});

test("a page that is being looked for while the oldest part is dropped has what is left", async () => {
  using small = new LogIndex({ segments: 17, blocksPerSegment: 1 });
  const line = (time: string) => logLine({ requestId: "r", time });
  const old = Buffer.from(line("2026-11-20T10:00:00.000Z").repeat(8192));
  for (let block = 0; block < 17; block += 1) await small.add(old);
  const finding = small.find({ filter: {}, limit: 20 }, signal);
  // After a part of the blocks the search lets others have their turn.
  await new Promise((resolve) => setImmediate(resolve));
  await small.add(Buffer.from(line("2026-11-21T10:00:00.000Z")));
  expect(small.isDropping).toBe(true);
  expect((await finding).lines.length).toBeLessThanOrEqual(20);
});

test("lines that can no longer be written down are refused, and nothing piles up", async () => {
  using full = new LogIndex();
  const spool = vi.spyOn(SpoolFile.prototype, "append").mockImplementation(() => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  const lines = Buffer.from(logLine({ requestId: "r", tenantId: "t".repeat(60_000) }));
  const added = async (): Promise<unknown> => await full.add(lines).catch((error: unknown) => error);
  try {
    await vi.waitFor(async () => expect(await added()).toBeInstanceOf(Failure), { timeout: 30_000 });
    const { requests } = full;
    for (let attempt = 0; attempt < 10; attempt += 1) await added();
    expect(full.requests - requests).toBeLessThan(3);
    expect(await added()).toMatchObject({ message: expect.stringContaining("ENOSPC") });
  } finally {
    spool.mockRestore();
  }
});

test("what a key did is counted: errors, old address, limit, the busiest minute", async () => {
  const own = { tokenId: "tok_a", limit: 50 };
  const lines = [
    logLine({ ...own, requestId: "1", time: "2026-11-19T10:00:00.000Z", route: "legacy" }),
    logLine({ ...own, requestId: "2", time: "2026-11-21T09:59:59.000Z" }),
    logLine({ ...own, requestId: "3", time: "2026-11-21T10:00:01.000Z", status: 404 }),
    logLine({ ...own, requestId: "4", time: "2026-11-21T10:00:59.000Z", status: 429, limit: 60 }),
    logLine({ tokenId: "tok_b", requestId: "5", time: "2026-11-21T10:00:59.000Z" }),
  ];
  await index.add(Buffer.from(lines.join("")));
  const activity = await busiestKeys(index, ["tok_none", "tok_b", "tok_a"], 3, signal);
  expect(activity.get("tok_a")).toEqual({
    requests: 4,
    errors: 2,
    legacy: 1,
    limited: 1,
    lastSeenMs: Date.parse("2026-11-21T10:00:59.000Z"),
    busiestMinute: 2,
    limit: 60,
  });
  expect([...activity.keys()]).toEqual(["tok_a", "tok_b", "tok_none"]);
  expect([...(await busiestKeys(index, ["tok_b", "tok_a"], 1, signal)).keys()]).toEqual(["tok_a"]);
  expect(activity.get("tok_none")).toMatchObject({ requests: 0, lastSeenMs: null, limit: null });
});
