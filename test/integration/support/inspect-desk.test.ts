import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followLogs } from "../../../cli/operate/log-index/request-log.ts";
import { hostileText, outputFaults } from "../../support/hostile-text.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { type LogDesk, noon, openLogDesk } from "../../support/log-desk.ts";
import { logLines } from "../../support/log-lines.ts";
import { deskTenant, type SupportDesk } from "../../support/support-desk.ts";

let logDesk: LogDesk;
let desk: SupportDesk;
let inspect: InspectFixture;
let tokenId: string;

beforeAll(async () => {
  logDesk = await openLogDesk();
  ({ desk, inspect, tokenId } = logDesk);
});

afterAll(() => logDesk?.close());

async function get(path: string): Promise<{ status: number; text: string; location: string | null }> {
  const headers = { cookie: inspect.cookie };
  const response = await fetch(inspect.url + path, { headers, redirect: "manual" });
  return { status: response.status, text: await response.text(), location: response.headers.get("location") };
}

describe("the page of requests", () => {
  test.each([
    ["", "106 requests."],
    ["?status=errors", "4 requests like this."],
    ["?status=404", "missed-1"],
    ["?status=4xx", "3 requests like this."],
    ["?program=OSAKA-3", "1 request like this."],
    ["?route=legacy", "old-1"],
    ["?tenant=nobody", "0 requests like this."],
    ["?from=2026-11-21T08:30&to=2026-11-21T08:32", "2 requests like this."],
    ["?from=2026-11-21", "106 requests like this."],
  ])("%s says %s", async (query, text) => {
    const page = await get(`/requests${query}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(text)]);
  });

  test("P68: leads from page to page, newest first, and each is an address that stays", async () => {
    const seen: string[] = [];
    for (let path: string | undefined = `/requests?token=${tokenId}`; path !== undefined; ) {
      const { text } = await get(path);
      seen.push(...[...text.matchAll(/row-link" href="\/requests\/([^"]+)"/g)].map(([, id]) => id ?? ""));
      path = /href="([^"]+)">Older/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen.slice(0, 3)).toEqual(["old-1", "missed-1", "list-99"]);
    expect(new Set(seen).size).toBe(102);
    expect(seen).toHaveLength(102);
  });

  test.each(["?status=x", "?from=yesterday", "?after=x", "?to=2026-13-45"])(
    "%s is no page",
    async (query) => {
      expect((await get(`/requests${query}`)).status).toBe(404);
    },
  );

  test("keeps what was asked for in its form", async () => {
    const { text } = await get("/requests?tenant=a%22b&status=418&from=2026-11-21T08:30Z");
    expect(text).toContain('value="a&quot;b"');
    expect(text).toContain('<option value="418" selected>');
    expect(text).toContain('value="2026-11-21T08:30"');
  });
});

describe("the page of a request", () => {
  test("explains it, and has a sentence for the partner", async () => {
    const { text } = await get("/requests/missed-1");
    expect(text).toContain("OSAKA-3");
    expect(/<textarea[^>]* readonly>([^<]*)</.exec(text)?.[1]).toMatch(
      / missed-1 of 2026-11-21 10:11 UTC for program OSAKA-3 .* 404\. .* not on offer .* \/v1\/programs /,
    );
  });

  test("shows each request that bore the id", async () => {
    const { text } = await get("/requests/twice");
    expect(text).toContain("The id stands in 2 requests");
    expect(text.match(/<textarea/g)).toHaveLength(2);
  });

  test("says what the log covers where it has none of that id", async () => {
    const { status, text } = await get("/requests/unheard-of");
    expect([status, text]).toEqual([404, expect.stringContaining("it covers 2026-11-21T08:30:00.000Z to")]);
  });
});

test("requests and what is found can be had for a spreadsheet, as many as match", async () => {
  const requests = (await get("/requests?status=200&format=csv")).text.trim().split("\r\n");
  expect(requests[0]).toBe(
    "time,requestId,status,route,programId,tenantId,tokenId,durationMs,bytes,snapshotId,causeCode,cause",
  );
  expect(requests.length).toBeGreaterThan(51);
  expect(requests.slice(1).every((line) => line.split(",")[2] === "200")).toBe(true);
  const found = (await get("/find?q=kyoto&format=csv")).text.split("\r\n");
  expect(found).toContain(`program,KYOTO-1,Temples of Kyoto,${deskTenant},published`);
});

describe("the page of access keys", () => {
  test("says of each what it did, and leads to its requests", async () => {
    const { text } = await get("/tokens");
    const row = /<tr role="row"><td[^>]*>(?:(?!<tr).)*Website.*?<\/tr>/s.exec(text)?.[0] ?? "";
    expect(row).toContain(`href="/requests?token=${tokenId}"`);
    expect(row).toContain(`href="/requests?token=${tokenId}&amp;status=errors">1.0 %`);
    expect(row).toContain(`href="/requests?token=${tokenId}&amp;route=legacy">1<`);
    expect(row).toContain("1 of 600");
    expect(row).toContain("active");
  });

  test("says which is not used, and ends soon", async () => {
    const { text } = await get(`/tokens?tenant=${deskTenant}`);
    expect(text).toContain("not in the log");
    expect(text).toContain("expires soon");
    expect(text).toContain("2 keys, 2 active.");
    expect((await get("/tokens?tenant=alpine")).text).toContain("0 keys, 0 active.");
  });

  test("names the busiest first, and gives each its share of errors for a spreadsheet", async () => {
    const { text } = await get("/tokens?format=csv");
    const [columns, first, ...others] = text
      .trim()
      .split("\r\n")
      .map((line) => line.split(","));
    const at = (name: string): number => columns?.findIndex((column) => column.endsWith(name)) ?? -1;
    expect(first?.[at("tokenId")]).toBe(tokenId);
    const requests = [first, ...others].map((row) => Number(row?.[at("requests")]));
    expect(requests).toEqual(requests.toSorted((a, b) => b - a));
    expect(Number(first?.[at("errorShare")])).toBeCloseTo(0.01, 2);
  });
});

describe("P69: the box on every page", () => {
  test.each([
    ["KYOTO-1", `/tenants/${deskTenant}/programs/KYOTO-1`],
    ["kyoto-1", `/tenants/${deskTenant}/programs/KYOTO-1`],
    [" “KYOTO-1”. ", `/tenants/${deskTenant}/programs/KYOTO-1`],
    ["osaka-3", `/tenants/${deskTenant}/explain?program=OSAKA-3`],
    ["missed-1", "/requests/missed-1"],
    ["Alpine", "/tenants/alpine"],
  ])("leads from %j straight to %s", async (text, location) => {
    const page = await get(`/find?q=${encodeURIComponent(text)}`);
    expect([page.status, page.location]).toEqual([303, location]);
  });

  test("leads from a key's id to its requests", async () => {
    expect((await get(`/find?q=${tokenId}`)).location).toBe(`/requests?token=${tokenId}`);
  });

  test.each([
    ["NARA-2", ["Deer of Nara", "Another Nara"]],
    ["deer nara", ["Deer of Nara"]],
    ["OSAKA", ["Osaka by night", "don’t see", "draft"]],
    ["kyoot-1", ["Did you mean", "q=KYOTO-1"]],
    ["tempels of kyoto", ["Did you mean", "q=temples+of+kyoto"]],
    ["xyzzy plugh", ["Nothing found for"]],
    ["Website", ["Access keys", "tok_"]],
    ["twice", ["303"]],
  ])("finds for %j: %j", async (text, expected) => {
    const page = await get(`/find?q=${encodeURIComponent(text)}`);
    for (const part of expected) expect(`${page.status} ${page.text}`).toContain(part);
  });

  test("says when the booking database could not be asked", async () => {
    const away = { ...desk, env: { ...desk.env, DATABASE_URL: "postgres://127.0.0.1:1/none" } };
    const other = await startInspect(away, { now: noon });
    const text = await (await other.get("/find?q=OSAKA")).text();
    await other.close();
    expect(text).toContain("database could not be asked");
  });

  test("repeats no key that somebody put into it", async () => {
    const key = `ppr_${"A1b2".repeat(12)}z`;
    const { text } = await get(`/find?q=${key}`);
    expect(text).toContain("That is an access key");
    expect(text).not.toContain(key.slice(0, 12));
  });
});

test.each(["/requests", "/tokens", "/audit", "/find?q=%3Cimg", "/requests/HOSTILE", "/requests/cut-key"])(
  "%s takes what stands in the log for text, not for HTML",
  async (path) => {
    const { text, status } = await get(path.replace("HOSTILE", encodeURIComponent(hostileText)));
    expect(status).toBe(200);
    expect(text).not.toContain("<img");
    expect(text).not.toMatch(/<script|javascript:|\son\w+="|style="/);
    expect(outputFaults(text.replace(/[\n\t]/g, " "), false)).toEqual([]);
  },
);

test("What could not be read of the log is said where it has none of that id", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inspect-desk-"));
  const name = join(folder, "gateway.log.1.gz");
  await writeFile(name, gzipSync(logLines(["r1", "r2"])).subarray(0, -12));
  const log = followLogs([{ name, stdin: Readable.from([]) }], new AbortController().signal);
  await log.isRead;
  const other = await startInspect(desk, { now: noon, log });
  const text = await (await other.get("/requests/unheard-of")).text();
  await other.close();
  await log.close();
  await rm(folder, { recursive: true, force: true });
  expect(text).toContain("gateway.log.1.gz ends early");
});

test.each(["/requests", "/requests/any", "/tokens"])(
  "%s without a log says how to give one",
  async (path) => {
    const other = await startInspect(desk, { now: noon });
    const text = await (await other.get(path)).text();
    await other.close();
    expect(text).toContain("inspect --log FILE");
  },
);
