import type { Output, Shell } from "../shell/shell.ts";
import { displayWidth } from "./display-width.ts";
import { type Style, styleOf } from "./style.ts";
import { isTimeZone, type Reader } from "./times.ts";
import { wrapped } from "./wrap.ts";

/** The format of a text for people, and when and in which zone they read it. */
export interface Layout extends Reader {
  readonly style: Style;
  /** The width of running text, in columns. */
  readonly width: number;
  /**
   * The width of tables: the terminal's. On a pipe it is infinite, so that `grep` and `awk` find each row on one line
   * (P81).
   */
  readonly columns: number;
}

/** The layout for this shell's standard output. */
export function layoutOf(shell: Shell): Layout {
  const { stdout, env } = shell;
  const columns = terminalColumns(stdout);
  return {
    ...readerOf(shell),
    style: styleOf(stdout, env),
    width: Math.min(columns, readableWidth),
    columns,
  };
}

/** Prints a result for people. On a terminal, a line that is too long is broken between words (P81). */
export function printText(shell: Shell, text: string): void {
  const { columns } = layoutOf(shell);
  const lines = text.split("\n");
  shell.stdout.write(
    lines.flatMap((line) => (displayWidth(line) <= columns ? [line] : wrapped(line, columns))).join("\n"),
  );
}

/** The shell's `TZ` names the zone of times. It is UTC when `TZ` is missing or names no known zone. */
export function readerOf({ now, env: { TZ = "" } }: Pick<Shell, "now" | "env">): Reader {
  return { now: now(), zone: TZ !== "" && isTimeZone(TZ) ? TZ : "UTC" };
}

/** A terminal that does not know its width reports 0, and the usual width is assumed. */
function terminalColumns(output: Output): number {
  return output.isTTY ? output.columns || defaultColumns : Number.POSITIVE_INFINITY;
}

const defaultColumns = 80;
/** Running text in longer lines is hard to read. */
const readableWidth = 100;
