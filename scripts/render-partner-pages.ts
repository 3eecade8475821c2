// Renders the pages for partners from Markdown for `docs export`. It is a part of `npm run build`, so that
// the installed program needs no Markdown.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { exchangesFile, renderedFolder, sitePages } from "../cli/partners/folder/site-page.ts";
import { examplesMarkdown } from "./partner-pages/examples-page.ts";
import { renderedPage } from "./partner-pages/rendered-page.ts";

/** Maps links of the repository's pages to their places in the partner's folder. */
const inFolder: Readonly<Record<string, string>> = {
  schemas: "reference.html",
  "schemas/program.schema.json": "reference.html",
  "schemas/openapi.yaml": "openapi.json",
  "schemas/examples": "examples.html",
  "docs/sandbox-tour.sh": "sandbox-tour.sh",
  ...Object.fromEntries(
    Object.entries(sitePages).map(([name, [, file]]) => [posix.join("docs", file), `${name}.html`]),
  ),
};

mkdirSync(renderedFolder, { recursive: true });
for (const [name, [, file]] of Object.entries(sitePages)) {
  const path = posix.join("docs", file);
  const text = readFileSync(path, "utf8");
  const markdown = path === exchangesFile ? examplesMarkdown(JSON.parse(text)) : text;
  const page = renderedPage(path, markdown, (target) => {
    const found = inFolder[target.replace(/\/$/, "")];
    if (found === undefined) throw new Error(`${path} links to ${target}, which the folder does not have`);
    return found;
  });
  writeFileSync(join(renderedFolder, `${name}.json`), `${JSON.stringify(page)}\n`);
}
