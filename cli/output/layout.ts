import { styleText } from "node:util";
import { singleLine } from "../../core/ground/printable.ts";
import type { Output, Shell } from "../shell/shell.ts";
import { isTimeZone, type Reader } from "./words.ts";

/**
 * The text in lines of at most `width` columns, broken at spaces. A longer word overflows on a line of its
 * own, so that ids and commands stay whole. All lines are indented like the first, and those after it by
 * `hang` more. Otherwise the author of a quoted text could place a line break that makes the text look like a
 * line of the program: commands and facts are indented by two.
 */
export function wrapped(text: string, width: number, hang = 4): string[] {
  const safe = styledLine(text);
  const indent = /^ */.exec(safe)?.[0] ?? "";
  const hanging = indent + " ".repeat(hang);
  const lines: string[] = [];
  let line = "";
  for (const word of safe.slice(indent.length).split(" ")) {
    if (line === "") line = indent + word;
    else if (displayWidth(line) + 1 + displayWidth(word) <= Math.max(width, minWidth)) line += ` ${word}`;
    else {
      lines.push(line);
      line = hanging + word;
    }
  }
  return [...lines, line];
}

/** On a narrower terminal, lines overflow. They would otherwise become a column of single words. */
const minWidth = 24;

/** A label and the lines of text beside it. */
export type Labelled = readonly [label: string, ...lines: readonly string[]];

/** Lines of labels in one column and texts in another, wrapped so that none is longer than `width`. */
export function labelledLines(rows: readonly Labelled[], width: number): string {
  const labels = rows.map(([label]) => styledLine(label));
  const labelWidth = widest(labels);
  const indent = " ".repeat(labelWidth + 4);
  return rows
    .flatMap(([, ...texts], at) => {
      const label = labels[at] ?? "";
      const lines = texts.flatMap((text) => wrapped(text, width - indent.length, 0));
      const [first = "", ...rest] = lines;
      const padding = " ".repeat(labelWidth - displayWidth(label) + 2);
      return [`  ${label}${padding}${first}`.trimEnd(), ...rest.map((line) => indent + line)];
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** A column of a table. Numbers align to the right. */
interface Column {
  readonly title: string;
  readonly isNumeric: boolean;
}

/** A column of numbers. */
export function numbers(title: string): Column {
  return { title, isNumeric: true };
}

/** Rows as aligned columns, each on one line however narrow the terminal, so that cells can be copied. */
export function table(titled: readonly (Column | string)[], rows: readonly (readonly string[])[]): string {
  const columns = titled.map((column) =>
    typeof column === "string" ? { title: column, isNumeric: false } : column,
  );
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(styledLine))];
  const widths = columns.map((_, at) => widest(lines.map((line) => line[at] ?? "")));
  const padded = (cells: readonly string[]): string[] =>
    columns.map(({ isNumeric }, at) => {
      const cell = cells[at] ?? "";
      const space = " ".repeat((widths[at] ?? 0) - displayWidth(cell));
      return isNumeric ? space + cell : cell + space;
    });
  return lines.map((line) => `${padded(line).join("  ").trimEnd()}\n`).join("");
}

/** P215: a call with an argument for each row of a long table would end the command. */
function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
}

/**
 * The columns that a text fills: two per wide East Asian character, none per combining mark or escape code.
 */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(escapeCodes, "")) {
    if (/\p{Mark}|\p{Format}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const printableAscii = /^[ -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with the escape character
const escapeCodes = /\u001b\[[0-9;]*m/g;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** The format of a text for people, and when and in which zone they read it. */
export interface Layout extends Reader {
  readonly style: Style;
  /** The width of running text, in columns. */
  readonly width: number;
}

/** The layout for this shell's standard output. */
export function layoutOf(shell: Shell): Layout {
  const { stdout, env } = shell;
  // A terminal that does not know its width reports 0.
  const columns = stdout.isTTY && stdout.columns > 0 ? stdout.columns : readableWidth;
  return { ...readerOf(shell), style: styleOf(stdout, env), width: Math.min(columns, readableWidth) };
}

/** The shell's `TZ` names the zone of times. It is UTC when `TZ` is missing or names no known zone. */
export function readerOf(
  { now, env: { TZ = "" } }: Pick<Shell, "now" | "env">,
  expects: Pick<Reader, "buildWithinMs" | "tokenMaxLifetimeMs"> = {},
): Reader {
  return { now: now(), zone: TZ !== "" && isTimeZone(TZ) ? TZ : "UTC", ...expects };
}

/** Running text in longer lines is hard to read. */
const readableWidth = 100;

/** Emphasis for people: colours on a terminal, plain text elsewhere. Nothing may be said by colour alone. */
export type Style = ReturnType<typeof styleOf>;

/** The style for an output: colours where the terminal has them, unless `NO_COLOR` is set (no-color.org). */
export function styleOf(output: Pick<Output, "isTTY">, env: Readonly<Record<string, string | undefined>>) {
  const wantsNone = env.NO_COLOR !== undefined && env.NO_COLOR !== "";
  const isPlain = !output.isTTY || wantsNone || env.TERM === "dumb";
  const styled = (format: "bold" | "dim" | "green" | "yellow" | "red") => (text: string) =>
    // `isPlain` decides, also for a stream of a test.
    isPlain || text === "" ? text : styleText(format, text, { validateStream: false });
  return {
    bold: styled("bold"),
    faint: styled("dim"),
    good: styled("green"),
    doubtful: styled("yellow"),
    bad: styled("red"),
  };
}

/**
 * The text as one line: this file's own colour codes stay, and the rest passes `singleLine`. Tables and facts
 * do this to every cell, so that no value breaks out of its cell.
 */
function styledLine(text: string): string {
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
