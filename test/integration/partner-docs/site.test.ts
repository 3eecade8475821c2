import { readFile } from "node:fs/promises";
import { join } from "node:path";
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

describe.skipIf(!hasChromium)("the partner's folder in Chromium (skipped without it)", () => {
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

  /** A page without a network; gives what the browser complained of, and what it asked for. */
  async function onPage(
    options: BrowserContextOptions,
    use: (page: Page, complaints: readonly string[]) => Promise<void>,
  ): Promise<{ readonly complaints: readonly string[]; readonly requests: readonly string[] }> {
    const context = await browser.newContext(options);
    const [complaints, requests]: [string[], string[]] = [[], []];
    try {
      const page = await context.newPage();
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await use(page, complaints);
    } finally {
      await context.close();
    }
    return { complaints, requests };
  }

  describe.each([
    ["a disk, offline", () => `${pathToFileURL(folder.directory)}/`, true],
    ["a web server, below a path", () => server.url, false],
  ] as const)("from %s", (_from, root, offline) => {
    test.each(partnerPages)("W70: %s loads nothing, and nothing is wrong with it", async (name) => {
      const address = `${root()}${name}.html`;
      const { complaints, requests } = await onPage({ offline }, async (page) => {
        await page.goto(address);
        expect(await page.evaluate("document.scripts.length")).toBe(0);
        expect(await page.evaluate("document.styleSheets[0].cssRules.length")).toBeGreaterThan(40);
      });
      expect([complaints, requests.filter((url) => url !== "data:,")]).toEqual([[], [address]]);
    });

    test("W70: no link is dead, neither to a page nor to a place on it", async () => {
      const links = new Set<string>();
      await onPage({}, async (page) => {
        for (const name of partnerPages) {
          await page.goto(`${root()}${name}.html`);
          for (const link of await page.locator("a").evaluateAll(hrefs)) links.add(link);
        }
      });
      const own = [...links].filter((link) => link.startsWith(root()));
      expect(own.length).toBeGreaterThan(100);
      const outside = [...links].filter((link) => !own.includes(link)).map((link) => new URL(link).origin);
      // Names of standards, which a reader may look up; and the contact.
      expect(new Set(outside)).toEqual(new Set(["https://datatracker.ietf.org", "null"]));
      const dead: string[] = [];
      for (const link of own) {
        const [file = "", fragment] = link.slice(root().length).split("#");
        const text = await readFile(join(folder.directory, file), "utf8").catch(() => undefined);
        if (text === undefined) dead.push(link);
        else if (fragment !== undefined && !text.includes(`id="${decodeURIComponent(fragment)}"`))
          dead.push(link);
      }
      expect(dead).toEqual([]);
    });
  });

  test("W70: the policy keeps even a page that was tampered with from loading anything", async () => {
    const { requests } = await onPage({}, async (page, complaints) => {
      await page.goto(`${server.url}index.html`);
      await page.evaluate(
        `document.body.insertAdjacentHTML("beforeend", '<img src="stolen.png"><link rel="stylesheet" href="x.css">');
           const script = document.createElement("script");
           script.src = "https://programs.tours-of-test.example/stolen.js";
           document.body.append(script);`,
      );
      await expect.poll(() => page.evaluate("document.images[0].complete")).toBe(true);
      await expect
        .poll(() => complaints.filter((text) => text.includes("Content Security Policy")))
        .toHaveLength(3);
    });
    expect(server.missing).toEqual([]);
    expect(requests.filter((url) => url.startsWith("http"))).toContain(`${server.url}index.html`);
  });

  test("W70: no page is wider than a window of 360 pixels", async () => {
    await onPage({ viewport: { width: 360, height: 800 } }, async (page) => {
      for (const name of partnerPages) {
        await page.goto(`${server.url}${name}.html`);
        expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBe(360);
      }
    });
  });

  test("W70: by keyboard one skips to the content, and chooses a language", async () => {
    await onPage({}, async (page) => {
      await page.goto(`${server.url}index.html`);
      await page.keyboard.press("Tab");
      await expect.poll(() => focusedText(page)).toBe("Skip to the content");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
      const sample = page.locator("pre").filter({ hasText: "node first-sync.js" });
      expect(await sample.isVisible()).toBe(false);
      await page.locator("summary").filter({ hasText: "JavaScript" }).first().focus();
      await page.keyboard.press("Enter");
      await sample.waitFor();
    });
  });
});

/** Runs in the page. */
function hrefs(anchors: readonly object[]): readonly string[] {
  return anchors.map((anchor) => String(Object(anchor).href));
}

function focusedText(page: Page): Promise<unknown> {
  return page.evaluate("document.activeElement.textContent.trim()");
}
