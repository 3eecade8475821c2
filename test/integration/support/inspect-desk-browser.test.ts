import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { type LogDesk, openLogDesk } from "../../support/log-desk.ts";
import { pageFaults } from "../../support/page-audit.ts";

const shalom = "שלום";
const paths = [
  "/",
  "/requests/missed-1",
  "/requests/twice",
  "/requests/unheard-of",
  "/find",
  "/find?q=NARA-2",
  "/find?q=OSAKA",
  `/find?q=${encodeURIComponent(shalom)}`,
];

describe.skipIf(!hasChromium)("requests and the box in Chromium (skipped without it)", () => {
  let logDesk: LogDesk;
  let browser: Browser;

  beforeAll(async () => {
    logDesk = await openLogDesk();
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await logDesk?.close();
  });

  async function onPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const { inspect } = logDesk;
    const context = await browser.newContext(options);
    await context.addCookies([
      { name: `partner-programs-${inspect.port}`, value: inspect.key, url: inspect.url },
    ]);
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await use(page);
      expect(complaints.filter((text) => !text.includes("404 (Not Found)"))).toEqual([]);
    } finally {
      await context.close();
    }
  }

  test.each([
    ["light", 1280],
    ["dark", 768],
    ["light", 360],
  ] as const)("has no page that is hard to read or use, %s at %d pixels", async (colorScheme, width) => {
    await onPage({ colorScheme, viewport: { width, height: 900 } }, async (page) => {
      for (const path of paths) {
        await page.goto(logDesk.inspect.url + path);
        expect(await pageFaults(page), `${path}, ${colorScheme}, ${width}`).toEqual([]);
      }
    });
  });

  test("leads from a request id in the box to a sentence for the partner", async () => {
    await onPage({}, async (page) => {
      await page.goto(logDesk.inspect.url);
      await page.getByLabel("Find a tenant").fill("missed-1");
      await page.getByRole("button", { name: "Find" }).click();
      await page.getByRole("heading", { name: "Request missed-1" }).waitFor();
      const sentence = page.getByLabel("To send to the partner");
      expect(await sentence.inputValue()).toContain("not on offer");
      expect(await sentence.isEditable()).toBe(false);
    });
  });
});
