import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { exportedFolder, partnerPages } from "../../support/partner-folder.ts";
import { filesBelow } from "../../support/store-tools.ts";

const base = "https://programs.tours-of-test.example/partners";
const company = ["--company", "Test & Tours", "--base-url", base, "--contact", "api@tours-of-test.example"];
const parent = folderForAllTests();
const folder = forAllTests(() => exportedFolder(base));
const text = (path: string) => readFile(join(folder.directory, path), "utf8");

describe("docs export", () => {
  test("says what it wrote, for people and for programs", async () => {
    const out = join(parent, "new", "folder");
    const shown = await runCommand(["docs", "export", ...company, "--out", out]);
    expect([shown.status, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/^The partner's folder: \d+ files, [\d,]+ bytes in .*folder\nOpen index\.html/),
    ]);
    const json = await runCommand(["docs", "export", ...company, "--out", join(parent, "json"), "--json"]);
    const files = await filesBelow(join(parent, "json"));
    expect(JSON.parse(json.stdout)).toEqual({
      baseUrl: base,
      directory: join(parent, "json"),
      files: files.length,
      bytes: expect.any(Number),
    });
  });

  test("W71: the company's address and contact stand wherever an example stood", async () => {
    const files = await filesBelow(folder.directory);
    for (const file of files) {
      expect(await text(file), file).not.toMatch(
        /programs\.example\.com|programs\.tours\.example|partners@example/,
      );
    }
    const { info, servers } = JSON.parse(await text("openapi.json"));
    expect([info.contact, servers[0].url]).toEqual([
      { name: "Test & Tours", email: "api@tours-of-test.example" },
      base,
    ]);
    for (const file of ["guide.html", "reference.html", "index.html"]) {
      expect(await text(file), file).toContain(base);
    }
    for (const file of [
      "client/python/first_sync.py",
      "client/typescript/first-sync.ts",
      "client/javascript/first-sync.js",
    ])
      expect(await text(file), file).toContain(`"${base}"`);
  });

  test("W71: nothing is left of a folder that could not be written", async () => {
    const full = join(parent, "full");
    await mkdir(full);
    await writeFile(join(full, "mine.txt"), "mine");
    const { status, stderr } = await runCommand(["docs", "export", ...company, "--out", full]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("is not empty; nothing was written")]);
    expect(await readdir(full)).toEqual(["mine.txt"]);
    expect((await readdir(parent)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test.each([
    ["--base-url", "http://programs.example.com"],
    ["--base-url", "https://programs.example.com/?tenant=1"],
    ["--contact", "nobody"],
    ["--company", " "],
  ])("refuses %s %j before it writes anything", async (option, value) => {
    const out = join(parent, "refused");
    const args = company.map((word, at) => (company[at - 1] === option ? value : word));
    const { status, stderr } = await runCommand(["docs", "export", ...args, "--out", out]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(option)]);
    expect(await readdir(parent)).not.toContain("refused");
  });

  test("describes the sandbox of the store and brings its tour", async () => {
    const tour = await text("sandbox-tour.sh");
    expect(tour).toContain(`sh sandbox-tour.sh ${base}\n`);
    for (const word of ["overbooked", "SANDBOX_TOKEN_EXPIRED", 'href="sandbox-tour.sh"']) {
      expect(await text("sandbox.html")).toContain(word);
    }
    expect(await text("sandbox.html")).not.toMatch(/sandbox init|operators/i);
  });

  test.each([
    ["that is not asked for", ["--without-sandbox"], ""],
    ["that the store does not have", [], "has no sandbox, so the folder promises none"],
  ])("promises no sandbox %s", async (_, args, said) => {
    const out = join(parent, `without${args.length}`);
    const env = { STORE_URL: `file:${join(parent, "no-store")}` };
    const { status, stderr } = await runCommand(["docs", "export", ...company, "--out", out, ...args], {
      env,
    });
    expect([status, stderr]).toEqual([0, said === "" ? "" : expect.stringContaining(said)]);
    for (const file of await filesBelow(out)) {
      expect(file + (await readFile(join(out, file), "utf8")), file).not.toMatch(/sandbox/i);
    }
  });

  test("W71: the same company gives the same bytes", async () => {
    const again = await exportedFolder(base);
    for (const file of await filesBelow(folder.directory)) {
      expect(await readFile(join(again.directory, file), "utf8"), file).toBe(await text(file));
    }
    await again.close();
  });

  test("shows a name that is markup as text", async () => {
    const out = join(parent, "markup");
    const name = `<script>alert("1")</script> & 'Söhne'`;
    const args = company.map((word) => (word === "Test & Tours" ? name : word));
    expect((await runCommand(["docs", "export", ...args, "--out", out])).status).toBe(0);
    for (const page of partnerPages.filter((name) => name !== "sandbox")) {
      const markup = await readFile(join(out, `${page}.html`), "utf8");
      expect(markup, page).not.toMatch(/<script/i);
      expect(markup, page).toContain(
        "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39;",
      );
    }
  });

  test("the reference has every operation, parameter, status, header and field of the document", async () => {
    const reference = unescaped(await text("reference.html"));
    const { paths, components } = JSON.parse(await text("openapi.json"));
    const wanted: string[] = [];
    // The rows of the table of answers: a status, the resources that give it, and so on.
    const row = /<tr><th scope="row">(\d{3})<\/th><td[^>]*>(.*?)<\/td>/g;
    const answers = [...reference.matchAll(row)].map(([, ...cells]) => cells);
    for (const [path, { get, parameters }] of Object.entries<Part>(paths)) {
      wanted.push(`<code>${path}</code>`, get.summary);
      for (const part of parameters) wanted.push(part.name ?? "X-Request-Id");
      for (const status of Object.keys(get.responses)) {
        const isToldOf = ([of, resources = ""]: readonly string[]): boolean =>
          of === status && (resources === "all" || resources.includes(`<code>${path}</code>`));
        expect(answers.filter(isToldOf), `${path} ${status}`).toHaveLength(1);
      }
    }
    for (const [name, { description }] of Object.entries<Part>(components.headers)) {
      wanted.push(`<code>${name}</code>`, ...words(description));
    }
    for (const [name, { description, properties }] of Object.entries<Part>(components.schemas)) {
      wanted.push(`id="${name.toLowerCase()}"`, ...words(description));
      for (const [field, part] of Object.entries<Part>(properties ?? {})) {
        wanted.push(`<code>${field}</code>`, ...words(part.description ?? ""));
      }
    }
    for (const { description } of Object.values<Part>(components.responses))
      wanted.push(...words(description));
    expect(wanted.filter((piece) => !reference.includes(piece))).toEqual([]);
    expect(wanted.length).toBeGreaterThan(300);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a document that is only looked through.
type Part = any;

/** The pieces of a description between code. */
const words = (description: string): readonly string[] => description.trim().split(/`[^`]*`|\n\n|\n?- /);

function unescaped(markup: string): string {
  return markup
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}
