import { styleText } from "node:util";
import { singleLine } from "../../core/printable.ts";
import type { Output, Shell } from "../shell/shell.ts";
import { isTimeZone, type Reader } from "./times.ts";

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
  buildWithinMs?: number,
): Reader {
  return { now: now(), zone: TZ !== "" && isTimeZone(TZ) ? TZ : "UTC", buildWithinMs };
}

/** Running text in longer lines is hard to read. */
const readableWidth = 100;

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
