import { type Html, html } from "../../output/html.ts";

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

/** One block. It can be reached by keyboard, so that a line that is too long can be read. A click takes all of a command. */
export function codeBlock({ language, code }: CodeSample): Html {
  const lines = code.replace(/\n$/, "");
  const name = language === "sh" ? "code command" : "code";
  return html`<pre class="${name}" tabindex="0"><code>${language === "json" ? jsonMarkup(lines) : lines}</code></pre>`;
}

/**
 * The same in several languages, of which one is seen: radio buttons, since the pages have no script. Without the stylesheet
 * all of them are seen. `id` is unique on its page.
 */
export function codeTabs(id: string, samples: readonly CodeSample[]): Html {
  const choices = samples.map(
    ({ language }, at) =>
      html`<input type="radio" name="${id}" id="${id}-${at}"${at === 0 && html` checked`}><label for="${id}-${at}">${languageNames[language] ?? language}</label>`,
  );
  const panels = samples.map((sample) => html`<div class="panel">${codeBlock(sample)}</div>`);
  return html`<fieldset class="tabs"><legend>Language</legend>${choices}${panels}</fieldset>`;
}

/** JSON with its keys set apart from its values. Read in one pass: a string is a key when a colon follows. */
function jsonMarkup(text: string): readonly (Html | string)[] {
  const parts: (Html | string)[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    const start = at;
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    if (text[at + 1] !== ":") continue;
    parts.push(text.slice(from, start), html`<b>${text.slice(start, at + 1)}</b>`);
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}
