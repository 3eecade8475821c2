import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, readAxe } from "../../support/axe.ts";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { forAllTests } from "../../support/lasting.ts";
import { exportedFolder, partnerPages } from "../../support/partner-folder.ts";
import { installedTools, runTool, type ToolFolder } from "../../support/partner-tools.ts";
import { openPartnerWorld, type PartnerWorld } from "../../support/partner-world.ts";

let tools: ToolFolder;
let world: PartnerWorld;

const folder = forAllTests(async () => {
  tools = await installedTools();
  world = await openPartnerWorld();
  return await exportedFolder(world.api);
});
afterAll(async () => {
  await world?.close();
});

test("html-validate finds nothing wrong with the pages", async () => {
  const pages = partnerPages.map((name) => `${name}.html`);
  const { status, output } = await runTool(tools, "html-validate", pages, folder.directory);
  expect([status, output.trim()]).toEqual([0, ""]);
});

test("redocly takes the document with the company's address", async () => {
  const args = ["lint", "openapi.json", "--extends", "recommended"];
  const { status, output } = await runTool(tools, "redocly", args, folder.directory);
  expect(status, output).toBe(0);
});

describe.skipIf(!hasChromium)("the pages in Chromium (skipped without it)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("W70: axe finds nothing, %s at %d pixels", async (colorScheme, width) => {
    const axe = await readAxe();
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    for (const name of partnerPages) {
      await page.goto(pathToFileURL(join(folder.directory, `${name}.html`)).href);
      // What is folded up, too.
      await page.evaluate('document.querySelectorAll("details").forEach((part) => { part.open = true; })');
      const { violations, kept } = await axeFindings(page, axe);
      expect(violations, name).toEqual([]);
      expect(kept, name).toBeGreaterThan(20);
    }
    await context.close();
  });
});
