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

/** Whether readers choose between samples in this language and others. False for the language of an answer or a table. */
export function isChoice(language: string): boolean {
  return Object.hasOwn(languageNames, language);
}

/** One block. The keyboard can reach it, so that a reader can scroll along a long line. The script adds a button to copy it. */
export function codeBlock(code: string): Html {
  return html`<div class="code"><pre tabindex="0"><code>${code.replace(/\n$/, "")}</code></pre></div>`;
}

/** A JSON value in lines of at most this width. `fieldLink` gives the link to a field's description, by the path of its key. */
export function jsonBlock(
  value: unknown,
  width?: number,
  fieldLink?: (path: string) => string | undefined,
): Html {
  const lines = compactJson(value, width).trimEnd();
  return html`<div class="code json"><pre tabindex="0"><code>${keysMarked(lines, fieldLink)}</code></pre></div>`;
}

/**
 * A sample in several languages, one of which is visible. The radio buttons work without the script. With the script, a choice
 * holds for all samples. When there is no stylesheet, all languages are visible. `id` is unique on its page.
 */
export function codeTabs(id: string, samples: readonly CodeSample[]): Html {
  const tabs = samples.map((sample) => ({
    name: languageNames[sample.language] ?? sample.language,
    value: sample.language,
    panel: codeBlock(sample.code),
  }));
  return tabbed(id, "Language", tabs);
}

/** Panels, one of which is visible. Readers choose a panel by its name. The script remembers the `value` of a chosen language. */
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
 * JSON with its keys marked, and linked where there is a link. The text is read in one pass: a string is a key when a colon
 * follows, and the keys of the objects around it form its path.
 */
function keysMarked(
  text: string,
  fieldLink?: (path: string) => string | undefined,
): readonly (Html | string)[] {
  const parts: (Html | string)[] = [];
  const outerKeys: string[] = [];
  let key = "";
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{" || character === "[") {
      outerKeys.push(key);
      key = "";
    } else if (character === "}" || character === "]") key = outerKeys.pop() ?? "";
    if (character !== '"') continue;
    const start = at;
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    if (text[at + 1] !== ":") {
      // A string value is a part of its own, so that the template isolates right-to-left text.
      parts.push(text.slice(from, start), text.slice(start, at + 1));
      from = at + 1;
      continue;
    }
    key = String(JSON.parse(text.slice(start, at + 1)));
    const link = fieldLink?.([...outerKeys, key].filter((step) => step !== "").join("."));
    const shown = html`<b>${text.slice(start, at + 1)}</b>`;
    parts.push(
      text.slice(from, start),
      link === undefined ? shown : html`<a href="${link}" tabindex="-1">${shown}</a>`,
    );
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}
