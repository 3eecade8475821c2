import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import {
  exportedFolder,
  type PartnerFolder,
  partnerPages,
  serveFolder,
  type WebServer,
} from "../../support/partner-folder.ts";

describe.skipIf(!hasChromium)("the script of the partner's folder in Chromium (skipped without it)", () => {
  let folder: PartnerFolder;
  let server: WebServer;
  let browser: Browser;

  beforeAll(async () => {
    folder = await exportedFolder();
    server = await serveFolder(folder.directory);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await folder?.close();
  });

  async function onPage(
    use: (page: Page, root: string) => Promise<void>,
    options: BrowserContextOptions & { readonly from?: "disk" } = {},
  ): Promise<void> {
    const { from, ...rest } = options;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...rest });
    const errors: string[] = [];
    try {
      const page = await context.newPage();
      page.on("pageerror", (error) => errors.push(error.message));
      await use(page, from === "disk" ? `${pathToFileURL(folder.directory)}/` : server.url);
    } finally {
      await context.close();
    }
    expect(errors).toEqual([]);
  }

  test("W68: on a disk, offline, a search finds a field by its name and a section by its words, by keyboard alone", async () => {
    await onPage(
      async (page, root) => {
        await page.goto(`${root}changes.html`);
        await page.keyboard.press("/");
        await page.keyboard.type("occupancy");
        const results = page.locator(".search li a");
        await expect.poll(() => results.first().textContent()).toContain("prices.rooms.occupancy");
        await page.keyboard.press("Enter");
        await page.waitForURL(`${root}reference.html#listPrograms-data-prices-rooms-occupancy`);
        await page.keyboard.press("/");
        await page.keyboard.type("retry growing");
        await expect.poll(() => page.locator("[role=status]").textContent()).toMatch(/^\d+ places?$/);
        await page.keyboard.press("ArrowDown");
        await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("A");
        await page.keyboard.press("Escape");
        await expect.poll(() => results.count()).toBe(0);
        await page.keyboard.press("/");
        await page.keyboard.type("zzz");
        await expect.poll(() => page.locator("[role=status]").textContent()).toBe("Nothing found");
      },
      { from: "disk", offline: true },
    );
  });

  test("W68: what is searched for is text, whatever it looks like", async () => {
    await onPage(async (page, root) => {
      await page.goto(`${root}index.html`);
      await page.locator(".search input").fill("<img src=x>");
      await expect.poll(() => page.locator("[role=status]").textContent()).toBe("Nothing found");
      await page.locator(".search input").fill("<token>");
      await expect.poll(() => page.locator(".search li mark").first().textContent()).toBe("<token>");
      expect(await page.locator(".search token, .search img").count()).toBe(0);
    });
  });

  test.each(["disk", undefined] as const)(
    "W68: a language holds for all samples, and on the next page (%s)",
    async (from) => {
      await onPage(
        async (page, root) => {
          await page.goto(`${root}index.html`);
          await page.locator('label[for="ask-once-1"]').click();
          const shown = page.locator(".panel:visible code");
          await expect.poll(() => shown.allInnerTexts()).toHaveLength(2);
          expect((await shown.allInnerTexts()).map((text) => /urllib|python3/.test(text))).toEqual([
            true,
            true,
          ]);
          await page.goto(`${root}reference.html`);
          const request = page.locator('[name="call-getProgram"]:checked');
          expect(await request.inputValue()).toBe("python");
        },
        from === undefined ? {} : { from },
      );
    },
  );

  test("W68: a sample is copied as it is, with a line break at its end", async () => {
    await onPage(
      async (page, root) => {
        await page.goto(`${root}index.html`);
        const block = page.locator("#ask ~ .code").first();
        await block.locator("button").click();
        await expect.poll(() => block.locator("button").textContent()).toBe("Copied");
        expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
          "read -rs PARTNER_TOKEN && export PARTNER_TOKEN\n",
        );
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    );
  });

  test("W68: where the browser gives no clipboard, the sample is selected", async () => {
    await onPage(async (page, root) => {
      await page.addInitScript("delete Navigator.prototype.clipboard");
      await page.goto(`${root}index.html`);
      const block = page.locator("#ask ~ .code").first();
      await block.locator("button").click();
      await expect.poll(() => page.evaluate("getSelection().toString().trim()")).toContain("read -rs");
    });
  });

  test("W68: the list of contents marks the section that is read", async () => {
    await onPage(async (page, root) => {
      await page.goto(`${root}guide.html#rate-limits`);
      const current = page.locator(".contents [aria-current]");
      await expect.poll(() => current.allInnerTexts()).toEqual(["Rate limits"]);
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      await expect.poll(() => current.allInnerTexts()).toEqual(["Questions"]);
    });
  });

  test("W68: a key of an example leads to its field, also to one that is folded up", async () => {
    await onPage(async (page, root) => {
      await page.goto(`${root}reference.html`);
      const example = page.locator("#getProgram-200").locator("xpath=../..").locator(".aside");
      await example.locator("a", { hasText: '"occupancy"' }).first().click();
      const field = page.locator("#getProgram-data-prices-rooms-occupancy");
      await expect.poll(() => field.isVisible()).toBe(true);
      const keys = await page
        .locator(".aside pre a")
        .evaluateAll((links) => links.map((link) => Object(link).hash));
      expect(keys.length).toBeGreaterThan(100);
      for (const key of new Set(keys)) expect(await page.locator(String(key)).count(), String(key)).toBe(1);
    });
  });

  test("W68: without scripts every page has its text and all its samples' languages, and no search that does nothing", async () => {
    await onPage(
      async (page, root) => {
        for (const name of partnerPages) {
          await page.goto(`${root}${name}.html`);
          expect(await page.locator("main h1").count(), name).toBe(1);
          expect(await page.locator(".search").isVisible(), name).toBe(false);
        }
        await page.goto(`${root}reference.html`);
        expect(await page.locator("#listPrograms-data-prices-rooms-amount").isVisible()).toBe(true);
        await page.locator('label[for="call-listPrograms-3"]').click();
        expect(await page.locator(".panel", { hasText: "package main" }).first().isVisible()).toBe(true);
      },
      { javaScriptEnabled: false },
    );
  });

  test("W73: no page is longer than 25 screens of a phone", async () => {
    const height = 900;
    await onPage(
      async (page, root) => {
        for (const name of partnerPages) {
          await page.goto(`${root}${name}.html`);
          const length = Number(await page.evaluate("document.documentElement.scrollHeight"));
          expect(length / height, name).toBeLessThan(25);
        }
      },
      { viewport: { width: 390, height } },
    );
  });
});
