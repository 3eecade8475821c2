import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { pageFaults } from "../../support/page-audit.ts";
import { galilProgram, richProgram } from "../../support/rich-programs.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

const noon = new Date("2026-11-21T12:00:00.000Z");

const paths = [
  "/",
  `/tenants/${deskTenant}`,
  `/tenants/${deskTenant}/programs/KYOTO-1`,
  `/tenants/${deskTenant}/programs/NARA-2`,
  `/tenants/${deskTenant}/programs/GALIL-9`,
  `/tenants/${deskTenant}/programs/OSAKA-3`,
  "/tenants/alpine",
  "/nothing",
];

describe.skipIf(!hasChromium)("inspect in Chromium (skipped without it)", () => {
  let desk: SupportDesk;
  let inspect: InspectFixture;
  let browser: Browser;

  beforeAll(async () => {
    desk = await openSupportDesk();
    await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
    await desk.source.insert("programs", {
      tenant_id: "alpine",
      program_id: "EIGER",
      name: " ",
      lifecycle_state: "active",
    });
    await desk.source.query(richProgram);
    await desk.source.query(galilProgram);
    await desk.build({ now: new Date("2026-11-21T08:00:00.000Z"), args: ["--on-invalid", "fail"] });
    await desk.source.query(
      "UPDATE partner_source.programs SET currency = 'JPY', cover_url = 'http://x.example/' WHERE program_id = 'KYOTO-1'",
    );
    await desk.source.query(
      "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'NARA-2'",
    );
    await desk.build({ now: new Date("2026-11-21T10:00:00.000Z"), args: ["--on-invalid", "fail"] });
    await desk.run(["snapshot", "rollback", "--tenant", deskTenant], {
      now: new Date("2026-11-21T11:00:00.000Z"),
    });
    inspect = await startInspect(desk, { now: noon });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await inspect?.close();
    await desk?.close();
  });

  /** A page of its own, closed afterwards; fails when the browser complains of anything, such as a breach of the policy. */
  async function onPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext(options);
    await context.addCookies([
      { name: `partner-programs-${inspect.port}`, value: inspect.key, url: inspect.url },
    ]);
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(inspect.url)) complaints.push(`asked for ${request.url()}`);
      });
      await use(page);
      expect(complaints.filter((text) => !text.includes("404 (Not Found)"))).toEqual([]);
    } finally {
      await context.close();
    }
  }

  test.each([
    ["light", 1280],
    ["dark", 360],
    ["light", 768],
  ] as const)("has no page that is hard to read or use, %s at %d pixels", async (colorScheme, width) => {
    await onPage({ colorScheme, viewport: { width, height: 800 } }, async (page) => {
      for (const path of paths) {
        await page.goto(inspect.url + path);
        expect(await pageFaults(page), `${path}, ${colorScheme}, ${width}`).toEqual([]);
      }
    });
  });

  test("leads from Health to a program and why it is served, without a mouse", async () => {
    await onPage({ viewport: { width: 360, height: 800 } }, async (page) => {
      await page.goto(inspect.url);
      await page.keyboard.press("Tab");
      expect(await focused(page)).toBe("Skip to the content");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: deskTenant }).first().focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: deskTenant }).waitFor();

      await page.getByRole("link", { name: "Deer of Nara" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Deer of Nara" }).waitFor();

      const said = await page.locator("main").textContent();
      expect(said).toMatch(/should take it out\. The hold does not/);
    });
  });
});

async function focused(page: Page): Promise<string> {
  return await page.evaluate("document.activeElement?.textContent ?? ''");
}
