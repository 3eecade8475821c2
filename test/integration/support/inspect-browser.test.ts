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

  test.each([360, 768, 1280])(
    "keeps right-to-left texts with their markers in the window, at %d pixels",
    async (width) => {
      await onPage({ viewport: { width, height: 800 } }, async (page) => {
        await page.goto(`${inspect.url}/tenants/${deskTenant}/programs/GALIL-9`);
        expect(await page.getByText("יום 12", { exact: true }).isVisible()).toBe(true);
        expect(await page.evaluate("getComputedStyle(document.querySelector('ul[dir=rtl]')).direction")).toBe(
          "rtl",
        );
        expect(await page.evaluate(overflowingMarkers)).toEqual([]);
        expect(await pageFaults(page)).toEqual([]);
      });
    },
  );

  test("breaks no amount and no date, however narrow the window is", async () => {
    await onPage({ viewport: { width: 360, height: 800 } }, async (page) => {
      let seen = 0;
      for (const path of paths) {
        await page.goto(inspect.url + path);
        const lines: number[] = await page.evaluate(
          "[...document.querySelectorAll('.whole')].map((element) => element.getClientRects().length)",
        );
        seen += lines.length;
        expect(
          lines.filter((count) => count !== 1),
          path,
        ).toEqual([]);
      }
      expect(seen).toBeGreaterThan(5);
    });
  });

  test.each([700, 768, 900])(
    "breaks no tenant's name in a table that has little room, at %d pixels",
    async (width) => {
      await onPage({ viewport: { width, height: 800 } }, async (page) => {
        await page.goto(inspect.url);
        const lines = await page.evaluate(
          "[...document.querySelectorAll('.row-link')].map((link) => link.getClientRects().length)",
        );
        expect(lines).toEqual([1, 1]);
        expect(await pageFaults(page)).toEqual([]);
      });
    },
  );

  test("is printed in ink on paper, also from a dark desktop", async () => {
    await onPage({ colorScheme: "dark" }, async (page) => {
      await page.goto(`${inspect.url}/tenants/${deskTenant}`);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(36, 39, 44)");
      expect(await page.evaluate("getComputedStyle(document.querySelector('table')).backgroundColor")).toBe(
        "rgb(255, 254, 251)",
      );
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
      await page.getByText("1,190.50 EUR").first().waitFor();
      expect(await page.getByText("1 April 2027").first().isVisible()).toBe(true);
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

  test("compares a version that is chosen from the list with the one before", async () => {
    await onPage({}, async (page) => {
      await page.goto(`${inspect.url}/tenants/${deskTenant}/programs/KYOTO-1`);
      const versions = page.locator("section", { has: page.getByRole("heading", { name: "Versions" }) });
      await versions.getByRole("cell", { name: '"JPY"' }).waitFor();
      expect(await versions.locator("svg rect").count()).toBe(3);
      await versions.getByRole("link", { name: "What changed" }).first().click();
      await versions.getByRole("cell", { name: '"JPY"' }).waitFor();
    });
  });

  test("tells of a hold and of a build that failed where nobody can overlook it", async () => {
    await onPage({}, async (page) => {
      await page.goto(`${inspect.url}/tenants/${deskTenant}`);
      await page.getByText("Until the hold ends").waitFor();
      await page.goto(`${inspect.url}/tenants/alpine`);
      const said = await page.locator("main").textContent();
      expect(said).toContain("nothing was ever published");
      expect(said).toContain("Builds stop at faulty");
    });
  });
});

async function focused(page: Page): Promise<string> {
  return await page.evaluate("document.activeElement?.textContent ?? ''");
}

/** Lists whose padding, on the side where their markers stand, is narrower than the widest of these. */
const overflowingMarkers = `[...document.querySelectorAll("main ol, main ul")].filter((list) => {
  const style = getComputedStyle(list);
  if (style.listStyleType === "none") return false;
  const probe = document.createElement("span");
  probe.textContent = list.tagName === "OL" ? list.children.length + ". " : "• ";
  probe.style.whiteSpace = "pre";
  list.firstElementChild.append(probe);
  const needed = probe.getBoundingClientRect().width;
  probe.remove();
  return [...list.children].some((item) =>
    parseFloat(getComputedStyle(item).direction === "rtl" ? style.paddingRight : style.paddingLeft) < needed);
}).map((list) => list.outerHTML.slice(0, 80))`;
