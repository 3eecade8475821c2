import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, readAxe } from "../../support/axe.ts";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { type LogDesk, openLogDesk } from "../../support/log-desk.ts";
import { deskTenant } from "../../support/support-desk.ts";

const tenant = `/tenants/${deskTenant}`;

/** The pages of `inspect`, each in a state that has much on it, and those of what is not there. */
const paths = [
  "/",
  tenant,
  `${tenant}?q=nothing`,
  `${tenant}/programs/KYOTO-1`,
  `${tenant}/programs/OSAKA-3`,
  `${tenant}/programs/A%2FB`,
  "/tenants/alpine",
  "/requests/missed-1",
  "/requests/twice",
  "/requests/unheard-of",
  "/find",
  "/find?q=deer+nara",
  "/find?q=kyoot-1",
  `/find?q=${encodeURIComponent("שלום")}`,
  "/nothing",
];

describe.skipIf(!hasChromium)("the pages of inspect in Chromium (skipped without it)", () => {
  let axe: string;
  let logDesk: LogDesk;
  let browser: Browser;

  beforeAll(async () => {
    axe = await readAxe();
    logDesk = await openLogDesk();
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await logDesk?.close();
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("axe finds nothing, %s at %d pixels", async (colorScheme, width) => {
    const { inspect } = logDesk;
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: 800 },
      bypassCSP: true,
    });
    await context.addCookies([
      { name: `partner-programs-${inspect.port}`, value: inspect.key, url: inspect.url },
    ]);
    const page = await context.newPage();
    for (const path of paths) {
      await page.goto(inspect.url + path);
      const { violations, kept } = await axeFindings(page, axe);
      expect(violations, path).toEqual([]);
      expect(kept, path).toBeGreaterThan(10);
    }
    await context.close();
  });
});
