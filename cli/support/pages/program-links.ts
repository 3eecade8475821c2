import { type Html, html } from "../../output/html.ts";
import { comparisonPath, explainPath, programPath, timelinePath } from "./addresses.ts";

const pages = {
  program: { text: "What partners get", path: programPath },
  explain: { text: "Is it up to date?", path: explainPath },
  timeline: { text: "Timeline", path: timelinePath },
  comparison: { text: "Database, snapshot and gateway side by side", path: comparisonPath },
} as const;

export type ProgramPageName = keyof typeof pages;

export function programLinks(tenantId: string, programId: string, here: ProgramPageName): Html {
  const others = (Object.keys(pages) as ProgramPageName[]).filter((name) => name !== here);
  return html`<nav class="related" aria-label="More about this program"><ul>${others.map(
    (name) => html`<li><a href="${pages[name].path(tenantId, programId)}">${pages[name].text}</a></li>`,
  )}</ul></nav>`;
}
