import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { pageFaults } from "../../support/page-audit.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

const noon = new Date("2026-11-21T12:00:00.000Z");

const paths = [
  "/",
  `/tenants/${deskTenant}`,
  `/tenants/${deskTenant}?q=nothing`,
  `/tenants/${deskTenant}/programs/KYOTO-1`,
  `/tenants/${deskTenant}/programs/NARA-2`,
  `/tenants/${deskTenant}/diff`,
  `/tenants/${deskTenant}/explain?program=KYOTO-1`,
  `/tenants/${deskTenant}/explain?program=OSAKA-3`,
  "/tenants/alpine",
  "/nothing",
];

describe.skipIf(!hasChromium)(
  "inspect in Chromium (skipped without /usr/bin/chromium or TEST_CHROMIUM)",
  () => {
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
    ] as const)("has no page that is hard to read or use, %s at %d pixels", async (colorScheme, width) => {
      await onPage({ colorScheme, viewport: { width, height: 800 } }, async (page) => {
        for (const path of paths) {
          await page.goto(inspect.url + path);
          expect(await pageFaults(page), `${path}, ${colorScheme}, ${width}`).toEqual([]);
        }
      });
    });

    test("would be told by the audit what is wrong with a bad page", async () => {
      await onPage({ viewport: { width: 360, height: 800 } }, async (page) => {
        await page.setContent(
          `<main><h1>A</h1><h3>B</h3><p style="color: #999">faint</p><input name="q" style="height: 10px"><p style="width: 900px">wide</p></main>`,
        );
        const faults = (await pageFaults(page)).map((fault) =>
          fault
            .split(":")[0]
            ?.replace(/[\d.]+$/, "")
            .trim(),
        );
        expect(faults).toEqual([
          "contrast",
          "no language",
          "0 of banner",
          "0 of footer",
          "heading skips a level",
          "field without a label",
          "wider than the window",
          "small target",
        ]);
      });
    });

    test("is dark on a dark desktop", async () => {
      const backgrounds: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await onPage({ colorScheme }, async (page) => {
          await page.goto(inspect.url);
          backgrounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
        });
      }
      expect(backgrounds).toEqual(["rgb(250, 248, 243)", "rgb(22, 24, 27)"]);
    });

    test("leads from the tenants to a program, its search and its explanation, without a mouse", async () => {
      await onPage({ viewport: { width: 360, height: 800 } }, async (page) => {
        await page.goto(inspect.url);
        await page.keyboard.press("Tab");
        expect(await focused(page)).toBe("Skip to the content");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        expect(await focused(page)).toBe(deskTenant);
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: deskTenant }).waitFor();

        await page.getByLabel("Search by name or id").focus();
        await page.keyboard.type("deer");
        await page.keyboard.press("Enter");
        await page.getByText("1 program matching “deer”").waitFor();
        await page.getByRole("link", { name: "Deer of Nara" }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { level: 1, name: "Deer of Nara" }).waitFor();

        await page.getByRole("link", { name: "Is it up to date?" }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { level: 1, name: "Why NARA-2 is served as it is" }).waitFor();
        expect(await page.getByText("the next build takes it out").count()).toBe(1);
      });
    });

    test("shows where the keyboard is", async () => {
      await onPage({}, async (page) => {
        await page.goto(inspect.url);
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
      });
    });

    test("shows a program with the words that partners get, and the exact JSON", async () => {
      await onPage({}, async (page) => {
        await page.goto(`${inspect.url}/tenants/${deskTenant}/programs/KYOTO-1`);
        await page.getByRole("cell", { name: "1,190.5 EUR" }).waitFor();
        expect(await page.getByText("1 April 2027").isVisible()).toBe(true);
        await page.getByText("JSON, indented for reading").click();
        const shown: unknown = JSON.parse((await page.locator("pre").textContent()) ?? "");
        const { stdout } = await desk.run([
          "snapshot",
          "show",
          "--tenant",
          deskTenant,
          "--program",
          "KYOTO-1",
          "--raw",
        ]);
        expect(shown).toEqual(JSON.parse(stdout));
      });
    });

    test("compares two snapshots that are chosen from the list", async () => {
      await onPage({}, async (page) => {
        await page.goto(`${inspect.url}/tenants/${deskTenant}`);
        await page.getByRole("link", { name: "Changes" }).first().click();
        await page.getByText("1 removed, 0 added, 1 changed, 0 the same.").waitFor();
        await page.getByRole("cell", { name: '"JPY"' }).waitFor();
        const from = page.getByLabel("From");
        const to = await page.getByLabel("To").inputValue();
        await from.selectOption(to);
        await page.getByRole("button", { name: "Compare" }).click();
        await page.getByText("Partners get the same bytes from both.").waitFor();
      });
    });

    test("tells of a hold and of a build that failed where nobody can overlook it", async () => {
      await onPage({}, async (page) => {
        await page.goto(`${inspect.url}/tenants/${deskTenant}`);
        await page.getByText("Until the hold ends builds take out what the source withdraws").waitFor();
        await page.goto(`${inspect.url}/tenants/alpine`);
        await page.getByText("nothing was ever published for this tenant").waitFor();
        await page.getByText("The last run failed").waitFor();
      });
    });
  },
);

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
