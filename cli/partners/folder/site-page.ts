import { createHash } from "node:crypto";
import { type Html, html } from "../../output/html.ts";
import type { Company } from "./company.ts";

/** A page of the folder. */
export interface SitePage {
  /** The name of the page's file without `.html`. */
  readonly name: PageName;
  readonly title: string;
  /** Markup from the title on: from templates, or from the build. */
  readonly body: string;
}

type PageName = keyof typeof pageNames;

/** The pages in the order of the navigation, with their titles there. */
const pageNames = {
  index: "Start",
  guide: "Guide",
  reference: "Reference",
  examples: "Examples",
  "what-can-go-wrong": "What can go wrong",
  client: "Client",
  sandbox: "Sandbox",
  changes: "Changes",
} as const;

/**
 * The page as a document of the folder. It contains its one stylesheet (W70), has no script, and its policy lets the browser load
 * nothing. So it works from a disk and from any web server, below any path (W70).
 */
export function siteDocument({ name, title, body }: SitePage, company: Company, stylesheet: string): string {
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

function navigation(current: PageName, { hasSandbox }: Company): Html {
  const shown = Object.entries(pageNames).filter(([name]) => hasSandbox || name !== "sandbox");
  const links = shown.map(
    ([name, text]) =>
      html`<li><a href="${name}.html"${name === current && html` aria-current="page"`}>${text}</a></li>\n`,
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
