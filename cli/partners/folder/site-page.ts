import { createHash } from "node:crypto";
import { type Html, html } from "../../output/html.ts";
import { packageFile } from "../../shell/package-file.ts";
import type { Company } from "./company.ts";

/** The recorded answers of a gateway, by a path from the root. `exchanges.test.ts` renews them. */
export const exchangesFile = "docs/exchanges.json";

/** The pages in the order of the navigation: the name in the folder, the title, and the file in `docs`. */
export const sitePages = {
  index: ["Start", "partner-start.md"],
  guide: ["Guide", "partners.md"],
  reference: ["Reference", "reference.md"],
  examples: ["Examples", "exchanges.json"],
  "what-can-go-wrong": ["What can go wrong", "what-can-go-wrong.md"],
  client: ["Client", "client/README.md"],
  sandbox: ["Sandbox", "sandbox.md"],
  changes: ["Changes", "partner-changes.md"],
} as const;

type PageName = keyof typeof sitePages;

/** A page as the build rendered it from Markdown. */
export interface RenderedPage {
  readonly title: string;
  /** Markup from the title on. */
  readonly body: string;
}

/** The folder for the rendered pages, from the project's root. */
export const renderedFolder = "dist/docs/pages";

/** The address that stands in the pages for the company's own. */
export const exampleBaseUrl = "https://programs.example.com";

/** The pages that the company's folder has. */
export function pageNames({ hasSandbox }: Company): readonly PageName[] {
  const names = Object.keys(sitePages) as PageName[];
  return names.filter((name) => hasSandbox || name !== "sandbox");
}

/**
 * The page as a document of the folder, with the company's own address in its examples, and without the lines
 * about a sandbox where there is none. It contains its one stylesheet (W70), has no script, and its policy
 * lets the browser load nothing. So it works from a disk and from any web server, below any path (W70).
 */
export async function siteDocument(name: PageName, company: Company, stylesheet: string): Promise<string> {
  const { title, body: rendered }: RenderedPage = JSON.parse(
    await packageFile(`${renderedFolder}/${name}.json`),
  );
  const lines = rendered.split("\n").filter((line) => company.hasSandbox || !line.includes("sandbox"));
  const body = lines.join("\n").replaceAll(exampleBaseUrl, () => html`${company.baseUrl}`.markup);
  const shown = html`${name === "index" ? "" : `${title} · `}${company.name} programs API`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(stylesheet)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${shown.markup}</title>
<link rel="icon" href="data:,">
<style>${stylesheet}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<p class="brand"><a href="index.html">${html`${company.name}`.markup} <span>programs API</span></a></p>
${navigation(name, company).markup}
</header>
${contents(body)}
<main id="main" tabindex="-1">
${body}
</main>
${footer(company).markup}
</body>
</html>
`;
}

/** `data:` allows the empty icon, which keeps browsers from asking for one. */
function policyFor(stylesheet: string): string {
  const digest = createHash("sha256").update(stylesheet).digest("base64");
  return `default-src 'none'; img-src data:; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

function navigation(current: PageName, company: Company): Html {
  const links = pageNames(company).map(
    (name) =>
      html`<li><a href="${name}.html"${name === current && html` aria-current="page"`}>${sitePages[name][0]}</a></li>\n`,
  );
  return html`<nav class="pages" aria-label="Pages"><ul>\n${links}</ul></nav>`;
}

/** The list of contents, made of the headings in the body. */
function contents(body: string): string {
  const headings = body.split('<h2 id="').slice(1);
  if (headings.length < 2) return "";
  const links = headings.map((heading) => {
    const id = heading.slice(0, heading.indexOf('"'));
    const inside = heading.slice(heading.indexOf(">") + 1, heading.indexOf("</h2>"));
    const [first = "", ...behindTags] = inside.split("<");
    const text = first + behindTags.map((piece) => piece.slice(piece.indexOf(">") + 1)).join("");
    return `<li><a href="#${id}">${text}</a></li>\n`;
  });
  return `<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>
<ul>\n${links.join("")}</ul></details></nav>`;
}

function footer({ name, baseUrl, contact }: Company): Html {
  return html`<footer class="foot">
<p>Base address <code>${baseUrl}</code></p>
<p>Questions to ${name}: <a href="${contact.href}">${contact.text}</a>. Give the request id, never the token.</p>
</footer>`;
}
