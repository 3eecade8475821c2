import type { Page } from "playwright-core";

/** What is wrong with a page for somebody who sees badly, has no mouse, or listens to it. In words; empty when nothing is. */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  return await page.evaluate(auditScript);
}

/** Runs in the page, as text, since functions of ours have no types of a browser. The rest is axe's: see `axe.ts`. */
const auditScript = `(() => {
  const faults = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (innerWidth >= 1280 && walker.nextNode()) {
    const { currentNode: node } = walker;
    if (node.parentElement.closest(".hidden, option, textarea, pre")) continue;
    const runs = [...node.data.matchAll(/\\S+/gu)].filter((run) => run[0].length <= 24 && !run[0].includes("\\\\"));
    const words = runs.flatMap((run) => [...run[0].matchAll(/[\\p{L}\\p{N}_]{2,}/gu)].map((word) => [word[0], run.index + word.index]));
    for (const [word, index] of words) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) faults.push("broken word: " + word);
    }
  }
  for (const selector of ["h1", "main", "body > header", "body > footer"]) {
    const found = document.querySelectorAll(selector).length;
    if (found !== 1) faults.push(found + " of " + selector);
  }
  for (const table of document.querySelectorAll("table")) if (!table.caption) faults.push("table without a caption");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const target of document.querySelectorAll("button, input, select")) {
    if (target.getBoundingClientRect().height < 24) faults.push("small target: " + target.outerHTML.slice(0, 60));
  }
  return faults;
})()`;
