import { visible } from "../../core/ground/printable.ts";
import { tokenFree } from "./safe-output.ts";

/** Markup by the template `html`, which escapes every foreign value. Nothing else can make it. */
export type Html = Markup;

/** A value in a template. Text is escaped; `null`, `undefined` and `false` are left out. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * A template of HTML. Every value is escaped unless it is itself the result of a template, so escaping can be
 * neither forgotten nor avoided. Values may stand in text or in attributes between double quotes, nowhere
 * else.
 *
 * Values are also made harmless as text: control characters become visible, right-to-left text is isolated
 * from its neighbours, and plaintexts of tokens are replaced.
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
 * The direction in which a text is written, judged by its first letter. `dir="auto"` would be wrong here: it
 * ignores isolated text, and this template isolates all right-to-left text.
 */
export function directionOf(text: string): "ltr" | "rtl" {
  return rightToLeft.test(/\p{L}/u.exec(text)?.[0] ?? "") ? "rtl" : "ltr";
}

/** The class is not exported, so only the template can make an instance. */
class Markup {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Whether elements may follow this beginning of a template: not in attributes, title, option, textarea. */
function mayHoldElements(beginning: string): boolean {
  const tag = /<[^<]*$/.exec(beginning)?.[0] ?? "";
  return !/^<[^>]*$|^<(title|option|textarea)\b/.test(tag);
}

function markupOf(value: HtmlValue, isIsolated: boolean): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.markup;
  if (Array.isArray(value)) return value.map((item) => markupOf(item, isIsolated)).join("");
  const text = visible(tokenFree(String(value))).replace(
    /[&<>"']/g,
    (character) => entities[character] ?? "",
  );
  return isIsolated && rightToLeft.test(text) ? `<bdi>${text}</bdi>` : text;
}

/** Hebrew, Arabic and the other scripts that are written from the right. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
