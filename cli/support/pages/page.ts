import type { ObjectStore } from "../../../core/store/object-store.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/words.ts";
import type { GatewayLog } from "../../read/gateway-log/recent-answers.ts";
import type { AskedDatabase } from "../facts/asked-database.ts";
import { findPath, home, stylesheetPath } from "./addresses.ts";

/** The sources of the pages. A page gets all its data and the time from here. */
export interface Inspection {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  /** The gateway's logs; without any there are no requests to look at. */
  readonly log?: GatewayLog;
  /** The reader's time, in the zone of `--time-zone`. */
  readonly reader: () => Reader;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly status: number;
  /** Seconds after which the same page may be available; set on a page that found no room. */
  readonly retryAfterSeconds?: number;
  readonly title: string;
  /** The pages above this one, from the outermost. The page itself is not in it. */
  readonly trail: readonly { readonly text: string; readonly path: string }[];
  readonly main: Html;
}

/** A page, or the address that leads to it. */
export type Answer = Page | { readonly location: string };

export const homeTrail: Page["trail"] = [{ text: "Health", path: home }];

export function pageDocument({ title, trail, main }: Page, storeAddress: string): string {
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
<form class="find" action="${findPath}" method="get" role="search" aria-label="All tenants">
<label class="hidden" for="find">Find a tenant, a program, a request or an access key</label>
<input id="find" name="q" type="search" maxlength="200" autocomplete="off" spellcheck="false" placeholder="Tenant, program, request or key"><button>Find</button>
</form>
</header>
${
  trail.length > 0 &&
  html`<nav class="trail" aria-label="Where you are"><ol>
${trail.map(({ text, path }) => html`<li><a href="${path}"><bdi>${text}</bdi></a></li>`)}
<li><bdi aria-current="page">${title}</bdi></li>
</ol></nav>`
}
<main id="main" tabindex="-1">
${main}
</main>
<footer><p>Read-only, from the store <code>${storeAddress}</code>. A program’s page asks the booking database, too.</p></footer>
</body>
</html>
`.markup
  }`;
}
