import { type Html, html } from "../../output/html.ts";
import { compactJson } from "./compact-json.ts";

/** A piece of code for a page, in one language. */
export interface CodeSample {
  readonly language: string;
  readonly code: string;
}

const languageNames: Readonly<Record<string, string>> = {
  sh: "curl",
  python: "Python",
  ts: "TypeScript",
  js: "JavaScript",
  go: "Go",
  php: "PHP",
};

/** Whether the language is one of those between which a reader chooses, rather than an answer or a table. */
export function isChoice(language: string): boolean {
  return Object.hasOwn(languageNames, language);
}

/** One block. It can be reached by keyboard, so that a line that is too long can be read. The script adds a button to copy it. */
export function codeBlock({ code }: CodeSample): Html {
  return html`<div class="code"><pre tabindex="0"><code>${code.replace(/\n$/, "")}</code></pre></div>`;
}

/** A JSON value in lines of at most this width. `fieldLink` gives where a key, by the way to it, is described. */
export function jsonBlock(
  value: unknown,
  width?: number,
  fieldLink?: (path: string) => string | undefined,
): Html {
  const lines = compactJson(value, width).trimEnd();
  return html`<div class="code json"><pre tabindex="0"><code>${keysMarked(lines, fieldLink)}</code></pre></div>`;
}

/**
 * The same in several languages, of which one is seen: radio buttons, which work without the script. The script lets a
 * choice hold for all samples. Without the stylesheet all of them are seen. `id` is unique on its page.
 */
export function codeTabs(id: string, samples: readonly CodeSample[]): Html {
  const tabs = samples.map((sample) => ({
    name: languageNames[sample.language] ?? sample.language,
    value: sample.language,
    panel: codeBlock(sample),
  }));
  return tabbed(id, "Language", tabs);
}

/** Panels of which one is seen, chosen by its name. `value` is what the script remembers of a choice of a language. */
export function tabbed(
  id: string,
  legend: string,
  tabs: readonly { readonly name: string; readonly value: string; readonly panel: Html }[],
): Html {
  const choices = tabs.map(
    ({ name, value }, at) =>
      html`<input type="radio" name="${id}" id="${id}-${at}" value="${value}"${at === 0 && html` checked`}><label for="${id}-${at}">${name}</label>`,
  );
  const panels = tabs.map(({ panel }) => html`<div class="panel">${panel}</div>`);
  return html`<fieldset class="tabs"><legend>${legend}</legend>${choices}${panels}</fieldset>`;
}

/**
 * JSON with its keys set apart from its values, each with a link where it has one. Read in one pass: a string is a key when a
 * colon follows, and the keys of the objects around it lead to it.
 */
function keysMarked(
  text: string,
  fieldLink?: (path: string) => string | undefined,
): readonly (Html | string)[] {
  const parts: (Html | string)[] = [];
  const way: string[] = [];
  let key = "";
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{" || character === "[") {
      way.push(key);
      key = "";
    } else if (character === "}" || character === "]") key = way.pop() ?? "";
    if (character !== '"') continue;
    const start = at;
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    if (text[at + 1] !== ":") {
      // A part of its own, which the template isolates when it is written from right to left.
      parts.push(text.slice(from, start), text.slice(start, at + 1));
      from = at + 1;
      continue;
    }
    key = String(JSON.parse(text.slice(start, at + 1)));
    const link = fieldLink?.([...way, key].filter((step) => step !== "").join("."));
    const shown = html`<b>${text.slice(start, at + 1)}</b>`;
    parts.push(
      text.slice(from, start),
      link === undefined ? shown : html`<a href="${link}" tabindex="-1">${shown}</a>`,
    );
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}
