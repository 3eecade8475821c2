import { beforeAll, describe, expect, test } from "vitest";
import { outputFaults } from "../../support/hostile-text.ts";
import type { InspectFixture } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { openLogDesk } from "../../support/log-desk.ts";
import { deskTenant } from "../../support/support-desk.ts";

const logDesk = forAllTests(openLogDesk);
let inspect: InspectFixture;
let tokenId: string;

beforeAll(async () => {
  ({ inspect, tokenId } = logDesk);
});

async function get(path: string): Promise<{ status: number; text: string; location: string | null }> {
  const headers = { cookie: inspect.cookie };
  const response = await fetch(inspect.url + path, { headers, redirect: "manual" });
  return { status: response.status, text: await response.text(), location: response.headers.get("location") };
}

test("the page of a request explains it, and has a sentence for the partner", async () => {
  const { text } = await get("/requests/missed-1");
  expect(text).toContain("OSAKA-3");
  expect(/<textarea[^>]* readonly>([^<]*)</.exec(text)?.[1]).toMatch(
    / missed-1 of 2026-11-21 10:11 UTC for program OSAKA-3 .* 404\. .* not on offer .* \/v1\/programs /,
  );
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
