import type { Output, Shell } from "../shell/shell.ts";
import { type Style, styleOf } from "./style.ts";
import { isTimeZone, type Reader } from "./times.ts";

/** How a text for people is laid out. */
export interface Layout extends Reader {
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
    ...readerOf(shell),
    style: styleOf(stdout, env),
    width: Math.min(columns, readableWidth),
    columns,
  };
}

/** Times in the zone that the shell's `TZ` names; in UTC without one, or with one that nobody knows. */
export function readerOf({ now, env: { TZ = "" } }: Pick<Shell, "now" | "env">): Reader {
  return { now: now(), zone: TZ !== "" && isTimeZone(TZ) ? TZ : "UTC" };
}

/** A terminal that does not know its width says 0. */
function terminalColumns(output: Output): number {
  return output.isTTY ? output.columns || defaultColumns : Number.POSITIVE_INFINITY;
}

const defaultColumns = 80;
/** The columns up to which running text reads well. */
const readableWidth = 100;
