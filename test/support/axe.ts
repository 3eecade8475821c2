import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { installedTools } from "./partner-tools.ts";

/** What axe says of a page. */
export interface AxeFindings {
  /** Each rule that is broken, with the first element that breaks it. */
  readonly violations: readonly string[];
  /** How many rules were kept: that axe looked at something. */
  readonly kept: number;
}

/** The script that a page runs, of the tools' version. */
export async function readAxe(): Promise<string> {
  return await readFile(join(await installedTools(), "node_modules/axe-core/axe.min.js"), "utf8");
}

/** Asks every rule of axe about the page as it is now. */
export async function axeFindings(page: Page, axe: string): Promise<AxeFindings> {
  await page.evaluate(axe);
  // To describe every element that keeps a rule takes longer than to look at them.
  const { violations, passes }: AxeResult = await page.evaluate('axe.run({ resultTypes: ["violations"] })');
  return { violations: violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`), kept: passes.length };
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
  readonly passes: readonly unknown[];
}
