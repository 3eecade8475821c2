import { styleText } from "node:util";
import { singleLine } from "../../core/printable.ts";
import type { Output } from "../shell/shell.ts";

const formats = { bold: "bold", faint: "dim", good: "green", doubtful: "yellow", bad: "red" } as const;

/** Emphasis for people: colours on a terminal, plain text elsewhere. Nothing may be said by colour alone. */
export type Style = Readonly<Record<keyof typeof formats, (text: string) => string>>;

export const plain: Style = styleBy((text) => text);

// Whether a terminal wants colours is decided by `styleOf`, also for a stream of a test.
const coloured = styleBy((text, format) =>
  text === "" ? "" : styleText(format, text, { validateStream: false }),
);

/** The style for an output: colours on a terminal that has them, unless `NO_COLOR` is set to anything (no-color.org). */
export function styleOf(output: Output, env: Readonly<Record<string, string | undefined>>): Style {
  const wantsNone = env.NO_COLOR !== undefined && env.NO_COLOR !== "";
  return output.isTTY && !wantsNone && env.TERM !== "dumb" ? coloured : plain;
}

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
const ownCodes = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

type Format = (typeof formats)[keyof typeof formats];

function styleBy(paint: (text: string, format: Format) => string): Style {
  const { bold, faint, good, doubtful, bad } = formats;
  const by = (format: Format) => (text: string) => paint(text, format);
  return { bold: by(bold), faint: by(faint), good: by(good), doubtful: by(doubtful), bad: by(bad) };
}
