import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, readAxe } from "../../support/axe.ts";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { type LogDesk, openLogDesk } from "../../support/log-desk.ts";
import { deskTenant } from "../../support/support-desk.ts";

const tenant = `/tenants/${deskTenant}`;

/** The pages of `inspect`, each in a state that has much on it, and those of what is not there. */
function paths(snapshotId: string): readonly string[] {
  return [
    "/",
    "/health",
    tenant,
    `${tenant}?q=nothing`,
    `${tenant}/programs/KYOTO-1`,
    `${tenant}/programs/KYOTO-1/timeline?at=2026-11-21T09:00`,
    `${tenant}/programs/KYOTO-1/compare`,
    `${tenant}/programs/OSAKA-3`,
    `${tenant}/snapshots`,
    `${tenant}/snapshots/${snapshotId}`,
    `${tenant}/snapshots/${snapshotId}/programs/KYOTO-1`,
    `${tenant}/diff`,
    `${tenant}/explain`,
    `${tenant}/explain?program=OSAKA-3`,
    "/tenants/alpine",
    "/requests",
    "/requests?status=errors",
    "/requests/missed-1",
    "/requests/unheard-of",
    "/tokens",
    "/audit",
    `/audit?tenant=${deskTenant}`,
    "/find?q=kyoot-1",
    `/find?q=${encodeURIComponent("שלום")}`,
    "/nothing",
  ];
}

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
    ["dark", 768],
    ["light", 360],
    ["dark", 360],
  ] as const)("axe finds nothing, %s at %d pixels", async (colorScheme, width) => {
    const { inspect, desk } = logDesk;
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: 800 },
      bypassCSP: true,
    });
    await context.addCookies([
      { name: `partner-programs-${inspect.port}`, value: inspect.key, url: inspect.url },
    ]);
    const page = await context.newPage();
    for (const path of paths(await liveSnapshot(desk.storeDirectory))) {
      await page.goto(inspect.url + path);
      const { violations, kept } = await axeFindings(page, axe);
      expect(violations, path).toEqual([]);
      expect(kept, path).toBeGreaterThan(10);
    }
    await context.close();
  });
});

async function liveSnapshot(storeDirectory: string): Promise<string> {
  const pointer = await readFile(join(storeDirectory, "tenants", deskTenant, "current.json"), "utf8");
  return JSON.parse(pointer).snapshotId;
}
