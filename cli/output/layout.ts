import type { Output, Shell } from "../shell/shell.ts";
import { displayWidth } from "./display-width.ts";
import { type Style, styleOf } from "./style.ts";
import { wrapped } from "./wrap.ts";

/** How a text for people is laid out. */
export interface Layout {
  readonly now: Date;
  readonly style: Style;
  /** Columns for running text. */
  readonly width: number;
  /** Columns for tables: the terminal's. A pipe has no end, so that `grep` and `awk` find each row on one line (P81). */
  readonly columns: number;
}

/** The layout of results for whoever reads this shell's standard output. */
export function layoutOf(shell: Shell): Layout {
  const { stdout, env } = shell;
  const columns = terminalColumns(stdout);
  return {
    now: shell.now(),
    style: styleOf(stdout, env),
    width: Math.min(columns, readableWidth),
    columns,
  };
}

/** Prints a result for people: on a terminal, lines that are too long for it go on below, broken between words (P81). */
export function printText(shell: Shell, text: string): void {
  const { columns } = layoutOf(shell);
  const lines = text.split("\n");
  shell.stdout.write(
    lines.flatMap((line) => (displayWidth(line) <= columns ? [line] : wrapped(line, columns))).join("\n"),
  );
}

/** A terminal that does not know its width says 0. */
function terminalColumns(output: Output): number {
  return output.isTTY ? output.columns || defaultColumns : Number.POSITIVE_INFINITY;
}

const defaultColumns = 80;
/** The columns up to which running text reads well. */
const readableWidth = 100;
