import { visible } from "../../core/printable.ts";
import { tokenFree } from "../shell/token-free.ts";

/** Markup that one of the templates below made: whatever came from outside is escaped in it. */
export interface Html {
  readonly markup: string;
}

/** What may stand in a template: text is escaped, nothing (`null`, `undefined`, `false`) is left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A template of HTML. Every value is escaped unless it is itself the result of a template, so there is no way to forget
 * it, and none to get around it. Values stand in text or in attributes between double quotes, nowhere else.
 *
 * The same holds for what steers a browser's text: control characters become visible, right-to-left text is isolated from
 * what stands beside it, and a token's plaintext is left out.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = "";
  let own = "";
  for (const [at, text] of strings.entries()) {
    markup += text;
    own += text;
    if (at < values.length) markup += markupOf(values[at], mayHoldElements(own));
  }
  return new Markup(markup);
}

/**
 * Which way a text is written, by its first letter. `dir="auto"` does not find out: it passes over what is isolated, and so is
 * right-to-left text here.
 */
export function directionOf(text: string): "ltr" | "rtl" {
  return rightToLeft.test(/\p{L}/u.exec(text)?.[0] ?? "") ? "rtl" : "ltr";
}

/** Not exported, so that nothing but a template makes one. */
class Markup implements Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Whether a value that follows this beginning of a template stands where elements may: in no attribute, title, option or textarea. */
function mayHoldElements(beginning: string): boolean {
  const tag = /<[^<]*$/.exec(beginning)?.[0] ?? "";
  return !/^<[^>]*$|^<(title|option|textarea)\b/.test(tag);
}

function markupOf(value: HtmlValue, isIsolated: boolean): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.markup;
  if (Array.isArray(value)) return value.map((item) => markupOf(item, isIsolated)).join("");
  const text = withEntities(visible(tokenFree(String(value))));
  return isIsolated && rightToLeft.test(text) ? `<bdi>${text}</bdi>` : text;
}

/** Hebrew, Arabic and the other scripts that are written from the right. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
