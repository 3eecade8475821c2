import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

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
  const desk = forAllTests(openSupportDesk);
  let inspect: InspectFixture;
  let browser: Browser;

  beforeAll(async () => {
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
    await desk.source.update("currency = 'JPY', cover_url = 'http://x.example/'", "KYOTO-1");
    await desk.source.update("lifecycle_state = 'ended'", "NARA-2");
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
  });

  /**
   * A page of its own, closed afterwards; fails when the browser complains of anything, such as a breach of
   * the policy.
   */
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

/** Something in every part of the page of a program. */
const richProgram = `
  UPDATE partner_source.programs
     SET description = 'A walk.', departure_point = 'Osaka', category_type = 'culture', guide_name = 'Aiko',
         marketing_tags = '{quiet,green}', excluded = '{Lunch}', visits = '{Kinkaku-ji}',
         accommodation_description = 'Small inns.', gallery_urls = '{https://img.example/1.jpg}'
   WHERE program_id = 'KYOTO-1';
  INSERT INTO partner_source.child_prices VALUES ('${deskTenant}', 'KYOTO-1', 0, 6, 100);
  INSERT INTO partner_source.hotel_stays VALUES ('${deskTenant}', 'KYOTO-1', 1, 'Inn', 'Gion', '2027-04-01', NULL, 4);
  INSERT INTO partner_source.staff VALUES ('${deskTenant}', 'KYOTO-1', 1, 'lead_guide', 'Aiko', NULL, NULL);
  INSERT INTO partner_source.staff VALUES ('${deskTenant}', 'KYOTO-1', 2, 'teacher', 'Ken', 'male', 'Historian');
  INSERT INTO partner_source.flights VALUES ('${deskTenant}', 'KYOTO-1', 1, 'NH', 'https://img.example/nh.svg');
  INSERT INTO partner_source.itinerary VALUES ('${deskTenant}', 'KYOTO-1', 1, 'Arrival', 'By train.');
  INSERT INTO partner_source.faq VALUES ('${deskTenant}', 'KYOTO-1', 1, 'Rain?', 'Umbrellas.');`;

/** A program in a script that is written from the right, with as many days as make a marker of two digits. */
const galilProgram = `
  INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, departure_date, capacity_total, included)
  VALUES ('${deskTenant}', 'GALIL-9', 'אביב בגליל', 'active', '2027-09-30', 1200, '{לינה וארוחת בוקר,טיסות}');
  INSERT INTO partner_source.itinerary
  SELECT '${deskTenant}', 'GALIL-9', day, 'יום ' || day, 'טיול לאורך החוף' FROM generate_series(1, 12) AS day;`;

/**
 * What is wrong with a page for somebody who sees badly, has no mouse, or listens to it. In words; empty when
 * nothing is.
 */
const pageFaults = async (page: Page): Promise<readonly string[]> => await page.evaluate(auditScript);

/**
 * Runs in the page, as text, since functions of ours have no types of a browser. The rest is axe's: see
 * `axe.ts`.
 */
const auditScript = `(() => {
  const faults = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (innerWidth >= 1280 && walker.nextNode()) {
    const { currentNode: node } = walker;
    if (node.parentElement.closest(".hidden, option, textarea, pre")) continue;
    const runs = [...node.data.matchAll(/\\S+/gu)].filter((run) => run[0].length <= 24 && !run[0].includes("\\\\"));
    const words = runs.flatMap((run) => [...run[0].matchAll(/[\\p{L}\\p{N}_]{2,}/gu)].map((word) => [word[0], run.index + word.index]));
    for (const [word, index] of words) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) faults.push("broken word: " + word);
    }
  }
  for (const selector of ["h1", "main", "body > header", "body > footer"]) {
    const found = document.querySelectorAll(selector).length;
    if (found !== 1) faults.push(found + " of " + selector);
  }
  for (const table of document.querySelectorAll("table")) if (!table.caption) faults.push("table without a caption");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const target of document.querySelectorAll("button, input, select")) {
    if (target.getBoundingClientRect().height < 24) faults.push("small target: " + target.outerHTML.slice(0, 60));
  }
  return faults;
})()`;
