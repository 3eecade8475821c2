import { describe, expect, test } from "vitest";
import { hostileProgram, openHostileDesk } from "../../support/hostile-desk.ts";
import { forgery, hostileText, outputFaults } from "../../support/hostile-text.ts";
import { startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant } from "../../support/support-desk.ts";

/**
 * The pages of `inspect` over rows and documents that are hostile: nothing in them steers a browser's text.
 */

const token = "ppr_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrs";
const desk = forAllTests(openHostileDesk);
const inspect = forAllTests(() => startInspect(desk, { now: new Date("2026-11-21T12:00:00.000Z") }));

test("every page that a link leads to is harmless, and they do quote what is hostile", async () => {
  const seen = new Set<string>();
  const open = ["/"];
  const kinds = new Set<string>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { text, faults } = await page(path);
    expect(faults, path).toEqual([]);
    const kind =
      /^\/tenants\/[^/?]+\/(\w+)/.exec(path)?.[1] ?? (/^\/(\?|$)/.test(path) ? "health" : "tenant");
    if (text.includes(forgery)) kinds.add(kind);
    for (const [, link] of text.matchAll(/ (?:href|action)="(\/[^"#]*)/g)) {
      open.push((link ?? "").replaceAll("&amp;", "&"));
    }
  }
  expect([...kinds].sort()).toEqual(["health", "programs", "tenant"]);
});

describe("what an address says", () => {
  const hostile = encodeURIComponent(hostileText);
  test.each([
    `/${hostile}`,
    `/tenants/${hostile}`,
    `/find?q=${hostile}`,
    `/tenants/${deskTenant}/programs/${hostile}`,
    `/tenants/${deskTenant}/programs?id=${hostile}`,
    `/tenants/${deskTenant}/programs/BAD-STATE`,
    `/tenants/${deskTenant}/programs/${hostileProgram}?version=${hostile}`,
    `/requests/${hostile}`,
    `/tenants/${deskTenant}/${hostile}`,
  ])("is harmless on the page at %s", async (path) => expect((await page(path)).faults).toEqual([]));

  test.each([
    `/tenants/${deskTenant}/programs/${token}`,
    `/tenants/${token}`,
    `/tenants/${deskTenant}/programs/X?version=${token}`,
    `/requests/${token}`,
    `/${token}`,
  ])("is not repeated when it holds a token: %s", async (path) => {
    const { text } = await page(path);
    expect(text).toContain("</html>");
    expect(text).not.toContain(token.slice(0, 20));
  });
});

/** A page and what it does to its reader; line breaks and tabs are white space in HTML. */
async function page(path: string): Promise<{ readonly text: string; readonly faults: readonly string[] }> {
  const text = await (await inspect.get(path)).text();
  return { text, faults: outputFaults(text.replace(/[\n\t]/g, " "), false) };
}
