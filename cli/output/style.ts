import { singleLine } from "../../core/printable.ts";
import type { Output } from "../shell/shell.ts";

/** Emphasis for people: colours on a terminal, plain text elsewhere. Nothing may be said by colour alone. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** The style for an output: colours on a terminal that has them, unless `NO_COLOR` is set to anything (no-color.org). */
export function styleOf(output: Output, env: Readonly<Record<string, string | undefined>>): Style {
  const wantsNone = env.NO_COLOR !== undefined && env.NO_COLOR !== "";
  return output.isTTY && !wantsNone && env.TERM !== "dumb" ? coloured : plain;
}

export const plain: Style = {
  bold: unchanged,
  faint: unchanged,
  good: unchanged,
  doubtful: unchanged,
  bad: unchanged,
};

const coloured: Style = {
  bold: ansi(1, 22),
  faint: ansi(2, 22),
  good: ansi(32, 39),
  doubtful: ansi(33, 39),
  bad: ansi(31, 39),
};

/**
 * The text as one line: this file's own colour codes stay, and the rest passes `singleLine`. Tables and facts do this to every
 * cell, so that no value breaks out of its cell.
 */
export function styledLine(text: string): string {
  return betweenCodes(text, singleLine);
}

/** Applies `change` to the text between this file's own colour codes. */
export function betweenCodes(text: string, change: (part: string) => string): string {
  if (!text.includes("\u001b")) return change(text);
  return text
    .split(ownCodes)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join("");
}

/** The words of a styled line. A coloured phrase counts as one word. */
export function styledWords(text: string): readonly string[] {
  return text.match(words) ?? [];
}

function unchanged(text: string): string {
  return text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
const ownCodes = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
const words = /(?:[^ \u001b]|\u001b\[\d+m[^\u001b]*\u001b\[\d+m)+/g;

/** Select Graphic Rendition (ECMA-48, section 8.3.117): the code `on` begins the emphasis, `off` ends it. */
function ansi(on: number, off: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
}
