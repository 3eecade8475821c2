import { html } from "../../output/html.ts";
import { packageFile } from "../../shell/package-file.ts";
import type { Company } from "./company.ts";
import type { SitePage } from "./site-page.ts";

/** A page of the guide as the build rendered it from Markdown. */
export type GuidePage = Pick<SitePage, "title" | "body">;

/** The pages that the build renders: each page's name in the folder, and its file in `docs`. */
export const guidePages = {
  index: "partner-start.md",
  guide: "partners.md",
  reference: "reference.md",
  examples: "exchanges.json",
  "what-can-go-wrong": "what-can-go-wrong.md",
  client: "client/README.md",
  sandbox: "sandbox.md",
  changes: "partner-changes.md",
} as const;

export type GuidePageName = keyof typeof guidePages;

/** The file with the answers that `scripts/record-exchanges.ts` recorded, from the project's root. */
export const exchangesFile = "docs/exchanges.json";

/** The folder for the rendered pages, from the project's root. */
export const guideFolder = "dist/docs/pages";

/** The address that stands in the guide for the company's own. */
export const exampleBaseUrl = "https://programs.example.com";

/** The page with the company's own address in its examples, and without the lines about a sandbox where there is none. */
export async function guidePage(name: GuidePageName, { baseUrl, hasSandbox }: Company): Promise<SitePage> {
  const page: GuidePage = JSON.parse(await packageFile(`${guideFolder}/${name}.json`));
  const lines = page.body.split("\n").filter((line) => hasSandbox || !line.includes("sandbox"));
  return { ...page, name, body: lines.join("\n").replaceAll(exampleBaseUrl, () => html`${baseUrl}`.markup) };
}
