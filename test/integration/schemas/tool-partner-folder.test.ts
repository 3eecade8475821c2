import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, readAxe } from "../../support/axe.ts";
import { hasChromium, launchChromium } from "../../support/chromium.ts";
import { exportedFolder, type PartnerFolder, partnerPages } from "../../support/partner-folder.ts";
import { installedTools, runTool, type ToolFolder } from "../../support/partner-tools.ts";
import { openPartnerWorld, type PartnerWorld } from "../../support/partner-world.ts";
import { filesBelow } from "../../support/store-tools.ts";

let tools: ToolFolder;
let world: PartnerWorld;
let folder: PartnerFolder;

beforeAll(async () => {
  tools = await installedTools();
  world = await openPartnerWorld();
  folder = await exportedFolder(world.api);
});
afterAll(async () => {
  await folder?.close();
  await world?.close();
});

const collections = [
  [
    "newman",
    "",
    (token: string) => ["run", "programs.postman_collection.json", "--env-var", `token=${token}`],
  ],
  ["bru", "bruno", (token: string) => ["run", "-r", "--env", "production", "--env-var", `token=${token}`]],
] as const;
describe.each(collections)("the collection, run by %s against a gateway", (tool, directory, args) => {
  const run = (token: string) => runTool(tools, tool, args(token), join(folder.directory, directory));

  test("W74: every check passes with a good token", async () => {
    const { status, output } = await run(world.token);
    expect(status, output).toBe(0);
    expect(output).toMatch(tool === "bru" ? /Requests +│ +9 \(9 Passed\)/ : /requests +│ +9 +│ +0/);
    expect(output).toMatch(tool === "bru" ? /Tests +│ +26\/26/ : /assertions +│ +26 +│ +0/);
  });

  test("W74: it fails with a revoked token", async () => {
    const { status, output } = await run(world.refused.revoked);
    expect(status).toBe(1);
    expect(output).toContain("status 200");
  });
});

test("Postman's own reader takes the collection without losing anything", async () => {
  const newman = createRequire(join(tools, "node_modules/newman/package.json"));
  const { Collection } = newman("postman-collection");
  const given = JSON.parse(
    await readFile(join(folder.directory, "programs.postman_collection.json"), "utf8"),
  );
  // It writes an address without its text, no empty array of headers, and each description with its type.
  const plain = (key: string, value: unknown): unknown =>
    key === "raw" || key === "header"
      ? undefined
      : key === "description"
        ? (Object(value).content ?? value)
        : value;
  const text = JSON.stringify(new Collection(structuredClone(given)).toJSON(), plain);
  expect(JSON.parse(text)).toMatchObject(JSON.parse(JSON.stringify(given, plain)));
});

test("Bruno's own reader takes each file, and writes the same again", async () => {
  const bruno = createRequire(join(tools, "node_modules/@usebruno/cli/package.json"))("@usebruno/lang");
  const files = (await filesBelow(join(folder.directory, "bruno"))).filter((file) => file.endsWith(".bru"));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = await readFile(join(folder.directory, "bruno", file), "utf8");
    if (file.endsWith("folder.bru")) {
      // Written again, it would say that it is a collection's.
      expect(bruno.collectionBruToJson(text).meta, file).toMatchObject({ name: dirname(file) });
      continue;
    }
    const written = file.startsWith("environments/")
      ? bruno.envJsonToBruV2(bruno.bruToEnvJsonV2(text))
      : file === "collection.bru"
        ? bruno.jsonToCollectionBru(bruno.collectionBruToJson(text))
        : bruno.jsonToBruV2(bruno.bruToJsonV2(text));
    expect(withoutBlankLines(written), file).toBe(withoutBlankLines(text));
  }
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
    ["dark", 1280],
    ["light", 360],
    ["dark", 360],
  ] as const)("W73: axe finds nothing, %s at %d pixels", async (colorScheme, width) => {
    const axe = await readAxe();
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    for (const name of partnerPages) {
      await page.goto(pathToFileURL(join(folder.directory, `${name}.html`)).href);
      await page.locator(".search input").fill("amount");
      await page.locator(".search li").first().waitFor();
      // What is folded up and behind other tabs, too.
      await page.evaluate(
        `document.querySelectorAll("details").forEach((part) => { part.open = true; });
         document.querySelectorAll(".panel").forEach((part) => { part.style.display = "block"; })`,
      );
      const { violations, kept } = await axeFindings(page, axe);
      expect(violations, name).toEqual([]);
      expect(kept, name).toBeGreaterThan(20);
    }
    await context.close();
  });
});

function withoutBlankLines(text: string): string {
  return text.replaceAll(/\n+/g, "\n").trim();
}
