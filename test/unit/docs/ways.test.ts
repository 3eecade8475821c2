import { expect, test } from "vitest";
import { linkTargets, page } from "../../support/markdown.ts";

// links.test.ts holds that the named files exist.
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
