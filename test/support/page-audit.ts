import type { Page } from "playwright-core";

/** What is wrong with a page for somebody who sees badly, has no mouse, or listens to it. In words; empty when nothing is. */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  return await page.evaluate(auditScript);
}

/**
 * Runs in the page, as text, since functions of ours have no types of a browser. It looks at each element that has text
 * of its own and compares the colours as WCAG 2.2 does (success criterion 1.4.3: 4.5 to 1, 3 to 1 for large text).
 */
const auditScript = `(() => {
  const faults = [];
  const channel = (value) => { const c = value / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const rgba = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return { r: n[0], g: n[1], b: n[2], a: n[3] ?? 1 }; };
  const luminance = ({ r, g, b }) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const backdrop = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour.a === 1) return colour;
      if (colour.a > 0) faults.push("half transparent background: " + at.className);
    }
    return { r: 255, g: 255, b: 255 };
  };
  let texts = 0;
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!own || element.closest(".hidden, option, .skip")) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(rgba(style.color)), luminance(backdrop(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) faults.push("contrast " + ratio.toFixed(2) + ": " + element.textContent.trim().slice(0, 40));
  }
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
  if (texts === 0) faults.push("no text was looked at");
  if (document.documentElement.lang === "") faults.push("no language");
  for (const [what, selector, count] of [["h1", "h1", 1], ["main", "main", 1], ["banner", "body > header", 1], ["footer", "body > footer", 1]]) {
    const found = document.querySelectorAll(selector).length;
    if (found !== count) faults.push(found + " of " + what);
  }
  let level = 1;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) faults.push("heading skips a level: " + heading.textContent);
    level = own;
  }
  for (const field of document.querySelectorAll("input, select, textarea")) {
    if (field.labels.length !== 1) faults.push("field without a label: " + field.name);
  }
  for (const table of document.querySelectorAll("table")) if (!table.caption) faults.push("table without a caption");
  for (const nav of document.querySelectorAll("nav")) if (!nav.getAttribute("aria-label")) faults.push("nav without a name");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push("an id twice: " + ids);
  for (const named of document.querySelectorAll("[aria-labelledby]")) {
    if (!document.getElementById(named.getAttribute("aria-labelledby"))) faults.push("a name that is not there");
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const target of document.querySelectorAll("button, input, select")) {
    if (target.getBoundingClientRect().height < 24) faults.push("small target: " + target.outerHTML.slice(0, 60));
  }
  return faults;
})()`;
