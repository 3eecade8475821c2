import type { Output, Shell } from "../shell/shell.ts";
import { type Style, styleOf } from "./style.ts";

/** How a text for people is laid out. */
export interface Layout {
  readonly now: Date;
  readonly style: Style;
  /** Columns for running text. */
  readonly width: number;
}

/** The layout of results for whoever reads this shell's standard output. */
export function layoutOf(shell: Shell): Layout {
  const { stdout, env } = shell;
  return { now: shell.now(), style: styleOf(stdout, env), width: textWidth(stdout) };
}

/** The terminal's columns, up to what reads well. */
function textWidth(output: Output): number {
  return output.isTTY ? Math.min(output.columns, readableWidth) : readableWidth;
}

const readableWidth = 100;
