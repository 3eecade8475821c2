import { type Html, html } from "../../output/html.ts";
import {
  findPath,
  healthPath,
  home,
  requestsPath,
  stylesheetPath,
  tenantPath,
  tokensPath,
} from "./addresses.ts";
import type { CsvTable } from "./csv.ts";

export interface Page {
  readonly status: number;
  /** Seconds after which the same page may be available; set on a page that found no room. */
  readonly retryAfterSeconds?: number;
  readonly title: string;
  /** The pages above this one, from the outermost. The page itself is not in it. */
  readonly trail: readonly { readonly text: string; readonly path: string }[];
  readonly main: Html;
  /** The tables of the page that can be downloaded for a spreadsheet. */
  readonly tables?: readonly CsvTable[];
}

export function tenantTrail(tenantId: string, ...more: Page["trail"]): Page["trail"] {
  return [...homeTrail, { text: tenantId, path: tenantPath(tenantId) }, ...more];
}

export const homeTrail: Page["trail"] = [{ text: "Tenants", path: home }];

export function pageDocument(page: Page, storeAddress: string): string {
  const { title, trail, main } = page;
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Partner programs</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<p class="brand"><a href="${home}">Partner programs</a></p>
<p class="store"><span class="hidden">Store: </span><code>${storeAddress}</code></p>
</header>
<div class="desk">
<nav aria-label="Pages of all tenants"><ul>
<li><a href="${home}">Tenants</a></li><li><a href="${healthPath}">Health</a></li><li><a href="${requestsPath}">Requests</a></li><li><a href="${tokensPath}">Access keys</a></li>
</ul></nav>
<form class="find" action="${findPath}" method="get" role="search" aria-label="All tenants">
<label class="hidden" for="find">Find a request, an access key or a program</label>
<input id="find" name="q" type="search" maxlength="200" autocomplete="off" spellcheck="false" placeholder="Request, key or program"><button>Find</button>
</form>
</div>
${trail.length > 0 && trailNav(page)}
<main id="main" tabindex="-1">
${main}
</main>
<footer><p>Read-only. Everything is read from the store when a page is asked for; an explanation asks the booking database, too.</p></footer>
</body>
</html>
`.markup
  }`;
}

function trailNav({ trail, title }: Page): Html {
  return html`<nav class="trail" aria-label="Where you are"><ol>
${trail.map(({ text, path }) => html`<li><a href="${path}"><bdi>${text}</bdi></a></li>`)}
<li><bdi aria-current="page">${title}</bdi></li>
</ol></nav>`;
}
