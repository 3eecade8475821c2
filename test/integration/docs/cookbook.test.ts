import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forEachTest } from "../../support/lasting.ts";
import { codeBlocks, markedBlock, page } from "../../support/markdown.ts";
import { createTestDatabase } from "../../support/postgres.ts";

/** The examples are years ahead, so that they do not end before their readers. */
const dayOfExamples = new Date("2060-12-01T00:00:00Z");

/** Every example of the page, by the marks of its blocks: `cookbook: one company, tables`. */
const { text } = page("docs/cookbook.md");
const marks = codeBlocks(text).flatMap(({ mark }) => (mark?.startsWith("cookbook: ") ? [mark] : []));
const recipes = [...new Set(marks.map((mark) => mark.slice("cookbook: ".length).split(", ")[0] ?? ""))];

const database = forEachTest(() => createTestDatabase({ isEmpty: true }));
let owner: string;

beforeEach(async () => {
  await database.query(markedBlock(text, "example: plain text"));
  owner = `views_${randomBytes(6).toString("hex")}`;
});

afterEach(async () => {
  await database.query(`
    DO $$ BEGIN
      IF to_regrole('${owner}') IS NOT NULL THEN DROP OWNED BY ${owner} CASCADE; DROP ROLE ${owner}; END IF;
    END $$`);
});

/** The code as it stands on the page; roles belong to the whole server, so theirs get a name of this test. */
async function run(mark: string): Promise<void> {
  await database.query(markedBlock(text, mark).replaceAll("partner_views", owner));
}

async function source(url: string, ...args: string[]): Promise<CommandResult> {
  return await runCommand(["source", ...args], { env: { DATABASE_URL: url }, now: dayOfExamples });
}

test.each([
  ["<p class='x'>One</p>\n<p>Two<br />Three</p>", "One\nTwo\nThree"],
  ["<ul><li>A  b</li> <li>C</li></ul>", "A b\nC"],
  ["<style>p { color: red }</style>Text<script>x < 1</script>", "Text"],
  ["Caf&#233; &#x27;Paris&#39; &ndash; 5&nbsp;&euro;", "Café 'Paris' – 5 €"],
  ["&amp;lt; &lt;b&gt; R&amp;B", "&lt; <b> R&B"],
  ["&#xD800; &#0; 3 < 4 & 5 > 4", "&#xD800; &#0; 3 < 4 & 5 > 4"],
  ["", ""],
])("the cookbook's function makes plain text of %j", async (html, plain) => {
  const rows = await database.query("SELECT plain_text($1) AS plain, plain_text(NULL) AS none", [html]);
  expect(rows).toEqual([{ plain, none: null }]);
});

describe("the cookbook", () => {
  test("has an example for each of the databases that it promises", () => {
    expect(recipes).toEqual([
      "one company",
      "departures",
      "frameworks",
      "head counts",
      "soft deletes",
      "agents",
      "row-level security",
    ]);
  });

  test.each(recipes)("%s: its views keep the contract, and partners get what it says", async (recipe) => {
    await run(`cookbook: ${recipe}, tables`);
    await run(`cookbook: ${recipe}, views`);
    expect(await source(database.url, "init", "--views-only")).toMatchObject({ status: 0 });
    // The role that a generator has, which sees no table.
    const reader = await database.createReader();
    const check = await source(reader, "check", "--json");
    expect(JSON.parse(check.stdout)).toMatchObject({ isBroken: false, problems: [] });
    const results = marks.filter((mark) => mark.startsWith(`cookbook: ${recipe}, partners get `));
    expect(results).not.toEqual([]);
    for (const mark of results) {
      const [, tenant = "", program = ""] = /partners get (\S+) (\S+)$/.exec(mark) ?? [];
      const preview = await source(reader, "preview", "--tenant", tenant, "--program", program, "--json");
      const { document, problems } = JSON.parse(preview.stdout).program;
      expect(document.data).toMatchObject(JSON.parse(markedBlock(text, mark)));
      expect(problems).toEqual([]);
    }
  });
});
