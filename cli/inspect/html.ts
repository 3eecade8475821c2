/** Markup that one of the templates below made: whatever came from outside is escaped in it. */
export interface Html {
  readonly markup: string;
}

/** What may stand in a template: text is escaped, nothing (`null`, `undefined`, `false`) is left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A template of HTML. Every value is escaped unless it is itself the result of a template, so there is no way to forget
 * it, and none to get around it. Values stand in text or in attributes between double quotes, nowhere else.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Markup(
    strings.map((text, at) => text + (at < values.length ? markupOf(values[at]) : "")).join(""),
  );
}

/** Not exported, so that nothing but a template makes one. */
class Markup implements Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return escaped(String(value));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
