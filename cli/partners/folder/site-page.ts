import { createHash } from "node:crypto";
import { type Html, html } from "../../output/html.ts";
import type { Company } from "./company.ts";
import { siteStylesheet } from "./site-stylesheet.ts";

/** A page of the folder. */
export interface SitePage {
  /** The name of the page's file without `.html`. */
  readonly name: PageName;
  readonly title: string;
  /** The headings below the title, for the list of contents. */
  readonly headings: readonly PageHeading[];
  /** Markup from the title on: from templates, or from the build. */
  readonly body: string;
  /** Whether the page has two columns beside the list of contents. */
  readonly isWide?: boolean;
}

export interface PageHeading {
  readonly level: 2 | 3;
  readonly id: string;
  readonly text: string;
}

export type PageName = keyof typeof pageNames;

/** The pages in the order of the navigation, with their titles there. */
export const pageNames = {
  index: "Start",
  guide: "Guide",
  reference: "Reference",
  fields: "Fields",
  examples: "Examples",
  "what-can-go-wrong": "What can go wrong",
  client: "Client",
  sandbox: "Sandbox",
  changes: "Changes",
} as const;

/**
 * The page as a document of the folder. It contains its one stylesheet, and its policy lets the browser load nothing but scripts
 * of the folder. So it works from a disk and from any web server, below any path (W70). It can be read without the scripts, too
 * (W68).
 */
export function siteDocument(
  { name, title, headings, body, isWide = false }: SitePage,
  company: Company,
): string {
  const shown = html`${title === pageNames.index ? "" : `${title} · `}${company.name} programs API`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${shown.markup}</title>
<link rel="icon" href="data:,">
<style>${siteStylesheet}</style>
<script defer src="site.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="bar"><p class="brand"><a href="index.html">${html`${company.name}`.markup} <span>programs API</span></a></p>
${searchForm}</div>
${navigation(name, company).markup}
</header>
<div class="columns${isWide ? " wide" : ""}">
${contents(headings).markup}
<main id="main" tabindex="-1">
${body}
</main>
</div>
${footer(company).markup}
</body>
</html>
`;
}

/** `data:` allows the empty icon, which keeps browsers from asking for one. */
const policy = [
  "default-src 'none'",
  "img-src data:",
  "script-src 'self'",
  `style-src 'sha256-${createHash("sha256").update(siteStylesheet).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The form is hidden until the script runs, since the script does the searching. */
const searchForm = `<search class="search" hidden>
<input type="search" aria-label="Search all pages" placeholder="Search all pages (/)" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">
<p class="hidden" role="status"></p><ul></ul></search>`;

function navigation(current: PageName, { hasSandbox }: Company): Html {
  const shown = Object.entries(pageNames).filter(([name]) => hasSandbox || name !== "sandbox");
  const links = shown.map(
    ([name, text]) =>
      html`<li><a href="${name}.html"${name === current && html` aria-current="page"`}>${text}</a></li>\n`,
  );
  return html`<nav class="pages" aria-label="Pages"><ul>\n${links}</ul></nav>`;
}

function contents(headings: readonly PageHeading[]): Html {
  if (headings.length < 2) return html`<div class="contents"></div>`;
  const links = headings.map(
    ({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`,
  );
  return html`<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>
<ul>\n${links}</ul></details></nav>`;
}

function footer({ name, baseUrl, contact }: Company): Html {
  return html`<footer class="foot">
<p>Base address <code>${baseUrl}</code></p>
<p>Questions to ${name}: <a href="${contact.href}">${contact.text}</a>. Give the request id, never the token.</p>
</footer>`;
}
