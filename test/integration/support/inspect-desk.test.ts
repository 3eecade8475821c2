import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGatewayLog } from "../../../cli/operate/gateway-log/gateway-log.ts";
import { outputFaults } from "../../support/hostile-text.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { type LogDesk, noon, openLogDesk } from "../../support/log-desk.ts";
import { logLine, logLines } from "../../support/log-lines.ts";
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

describe("P69: the box on every page", () => {
  test.each([
    ["KYOTO-1", `/tenants/${deskTenant}/programs/KYOTO-1`],
    ["kyoto-1", `/tenants/${deskTenant}/programs/KYOTO-1`],
    [" “KYOTO-1”. ", `/tenants/${deskTenant}/programs/KYOTO-1`],
    ["osaka-3", `/tenants/${deskTenant}/programs/OSAKA-3`],
    ["missed-1", "/requests/missed-1"],
    ["Alpine", "/tenants/alpine"],
  ])("leads from %j straight to %s", async (text, location) => {
    const page = await get(`/find?q=${encodeURIComponent(text)}`);
    expect([page.status, page.location]).toEqual([303, location]);
  });

  test("leads from a key's id to the keys of its tenant", async () => {
    expect((await get(`/find?q=${tokenId}`)).location).toBe(`/tenants/${deskTenant}#keys`);
  });

  test.each([
    ["NARA-2", ["Deer of Nara", "Another Nara"]],
    ["deer nara", ["Deer of Nara"]],
    ["OSAKA", ["Osaka by night", ">no<", "draft"]],
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

test.each(["/tenants/sakura-trails", "/find?q=%3Cimg", "/requests/hostile-1", "/requests/cut-key"])(
  "%s takes what stands in the log for text, not for HTML",
  async (path) => {
    const { text, status } = await get(path);
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
  const older = { name: join(folder, "gateway.log"), stdin: Readable.from([]) };
  await writeFile(older.name, logLines(["r0"]));
  const log = createGatewayLog([{ name, stdin: Readable.from([]) }, older], new AbortController().signal);
  const other = await startInspect(desk, { now: noon, log });
  const text = await (await other.get("/requests/unheard-of")).text();
  await other.close();
  await rm(folder, { recursive: true, force: true });
  expect(text).toContain("gateway.log.1.gz ends early");
});

test("a request without a log says how to give one", async () => {
  const other = await startInspect(desk, { now: noon });
  const text = await (await other.get("/requests/any")).text();
  await other.close();
  expect(text).toContain("inspect --log FILE");
});

test("the tenant's page names its keys, and which of them ends soon", async () => {
  const words = (await get(`/tenants/${deskTenant}`)).text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(words).toMatch(/Website tok_\S+ active never/);
  expect(words).toMatch(/ tok_\S+ expires soon in 3 days/);
  expect((await get("/tenants/alpine")).text).toContain("None was issued");
});

test("a tenant whose id shares a 32-bit digest with another's is not blamed for its requests", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inspect-desk-"));
  const name = join(folder, "gateway.log");
  // By FNV-1a, by which requests were once counted, both ids are 0xd17a1ce2.
  const time = "2026-11-21T11:50:00.000Z";
  await writeFile(name, logLine({ requestId: "r", status: 500, tenantId: "vyzsagal", time }));
  const log = createGatewayLog([{ name, stdin: Readable.from([]) }], new AbortController().signal);
  const pages = await startInspect(desk, { now: noon, log });
  const page = await (await pages.get(`/tenants/${deskTenant}`)).text();
  await pages.close();
  const { stdout } = await desk.run(["snapshot", "status", "--log", name], { now: noon });
  await rm(folder, { recursive: true });
  for (const text of [page, stdout]) expect(text).not.toContain("500 (internal error)");
});

describe("addresses", () => {
  const tenant = `/tenants/${deskTenant}`;
  test.each([
    [`${tenant}/programs`, tenant],
    [`${tenant}/programs?id=A%2FB`, `${tenant}/programs/A%2FB`],
  ])("%s leads to %s", async (path, location) => {
    const page = await get(path);
    expect([page.status, page.location]).toEqual([303, location]);
  });

  test.each(["/tokens", "/audit", "/requests", `${tenant}/snapshots`, `${tenant}/explain?program=KYOTO-1`])(
    "%s is no page any more",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});
