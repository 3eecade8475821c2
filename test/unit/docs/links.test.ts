import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { anchors, inlineCode, linkTargets, page, pages, projectRoot } from "../../support/markdown.ts";

describe("links between pages", () => {
  test.each(pages().map(({ path, text }) => [path, text] as const))(
    "%s links to what exists",
    (path, text) => {
      const targets = linkTargets(text).filter((target) => !/^[a-z]+:/.test(target));
      const broken = targets.filter((target) => !exists(path, target));
      expect(broken).toEqual([]);
    },
  );

  test.each(pages().map(({ path, text }) => [path, text] as const))(
    "%s names tests that exist",
    (_path, text) => {
      const tests = inlineCode(text).filter((code) => code.endsWith(".test.ts"));
      expect(
        tests.filter((name) => !existsSync(join(projectRoot, "test", name.replace(/^test\//, "")))),
      ).toEqual([]);
    },
  );

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
