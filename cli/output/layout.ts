import type { Shell } from "../shell/shell.ts";
import { type Style, styleOf } from "./style.ts";
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
