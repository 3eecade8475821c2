import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { causes } from "../../../scripts/support-page/causes.ts";
import { supportPage, supportPagePath } from "../../../scripts/support-page/support-page.ts";
import { forAllTests } from "../../support/lasting.ts";
import { projectRoot } from "../../support/markdown.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const database = forAllTests(() => createTestDatabase({ isEmpty: true }));

test("docs/support.md shows what the commands print when each complaint is planted", async () => {
  const page = await readFile(join(projectRoot, supportPagePath), "utf8");
  expect(page).toBe(await supportPage(database.url));
  const listed = [...page.matchAll(/^\| \[(.+)\]\(#[^)]+\) \|/gm)].map(([, title]) => title);
  expect(listed).toEqual(Object.keys(causes));
});
