import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cliSettings, gatewaySettings } from "../../../core/process/settings.ts";
import {
  anchors,
  codeBlocks,
  inlineCode,
  linkTargets,
  page,
  pages,
  projectRoot,
} from "../../support/markdown.ts";

const allPages = pages().map(({ path, text }) => [path, text] as const);

describe("links between pages", () => {
  test.each(allPages)("%s links to what exists", (path, text) => {
    const targets = linkTargets(text).filter((target) => !/^[a-z]+:/.test(target));
    const broken = targets.filter((target) => !exists(path, target));
    expect(broken).toEqual([]);
  });

  test.each(allPages)("%s names tests that exist", (_path, text) => {
    const tests = inlineCode(text).filter((code) => code.endsWith(".test.ts"));
    expect(
      tests.filter((name) => !existsSync(join(projectRoot, "test", name.replace(/^test\//, "")))),
    ).toEqual([]);
  });

  test("are there to be looked at", () => {
    expect(
      inlineCode(page("docs/threat-model.md").text).filter((code) => code.endsWith(".test.ts")).length,
    ).toBeGreaterThan(20);
    expect(pages().flatMap(({ text }) => linkTargets(text)).length).toBeGreaterThan(50);
  });
});

function exists(from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from : join(dirname(from), file);
  if (!existsSync(join(projectRoot, path))) return false;
  return anchor === undefined || anchors(page(path).text).has(anchor);
}

// That the named files exist, the links hold.
test.each([
  ["a row", "cli/publish/README.md", 14],
  ["a request", "gateway/README.md", 10],
  ["a question", "cli/support/README.md", 9],
  ["a token", "core/README.md", 6],
] as const)("the way of %s is a list in %s of at most %d files, one a step", (what, path, most) => {
  const [, section = ""] = page(path).text.split(`## The way of ${what}\n`);
  const steps =
    section
      .split("\n## ")[0]
      ?.split(/^\d+\. /m)
      .slice(1) ?? [];
  const files = steps.flatMap((step) => linkTargets(step.split("\n\n")[0] ?? ""));
  expect(files).toHaveLength(steps.length);
  expect(steps.length).toBeGreaterThan(3);
  expect(steps.length).toBeLessThanOrEqual(most);
});

const known: ReadonlySet<string> = new Set(
  [...Object.values(cliSettings), ...Object.values(gatewaySettings)].map(({ name }) => name),
);

/** The change log also names settings that are retired. */
const present = allPages.filter(([path]) => path !== "CHANGELOG.md");

describe("settings on pages", () => {
  test.each(present)("%s names settings that exist", (_path, text) => {
    const unknown = namedSettings(text).filter((name) => !known.has(name) && !isForeign(name));
    expect(unknown).toEqual([]);
  });

  test("are there to be looked at", () => {
    const named = new Set(pages().flatMap(({ text }) => namedSettings(text)));
    expect([...known].filter((name) => named.has(name)).length).toBe(known.size);
  });
});

/** Words like `STORE_URL` in code, and what a script sets. */
function namedSettings(text: string): readonly string[] {
  const scripts = codeBlocks(text).filter(({ language }) => language === "sh");
  const code = [...inlineCode(text), ...scripts.map((block) => block.code)].join("\n");
  const names = code.match(/(?<![\w.$/-])[A-Z][A-Z0-9]*(_[A-Z0-9]+)+(?![\w(])|\b(HOST|PORT)\b/g);
  return [...new Set(names ?? [])];
}

/**
 * Of others: the AWS SDK, Node.js, systems and servers, the project's own tests and sandbox; and words that
 * stand for something.
 */
function isForeign(name: string): boolean {
  return /^(AWS|TEST|NODE|MALLOC|SSL|PG|SANDBOX|NO)_|_PROXY$|^(ON_ERROR_STOP|OWNERS_DATABASE_URL|PARTNER_TOKEN|REQUEST_ID|TOKEN_ID)$/.test(
    name,
  );
}
