import { escaped, singleLine } from "../../../core/printable.ts";

/**
 * The same SQL, as PostgreSQL writes it, with escapes in place of what does not survive being shown and pasted: line breaks,
 * tabs and invisible characters within texts and quoted names. Raw ones would be indented, or made visible, and then the text or
 * the name is another one.
 */
export function plainQuotes(sql: string): string {
  return sql.replace(quotes, (whole: string, prefix = "", text?: string, name?: string) => {
    if (singleLine(whole) === whole) return whole;
    if (text !== undefined) return `E'${escapes(prefix === "E" ? text : doubled(text), "\\u")}'`;
    return name === undefined ? whole : `U&"${escapes(doubled(name), "\\")}"`;
  });
}

/** A comment, a text, or a name. */
const quotes = /--[^\n]*|(E?)'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g;

function doubled(text: string): string {
  return text.replaceAll("\\", "\\\\");
}

function escapes(text: string, mark: string): string {
  return [...text]
    .map((character) => {
      const shown = escaped(character);
      return shown === character ? character : shown.replaceAll("\\u", mark);
    })
    .join("");
}
