import type { Shell } from "../shell/shell.ts";
import { displayWidth } from "./display-width.ts";
import { layoutOf } from "./layout.ts";
import { wrapped } from "./wrap.ts";

/** Prints a result for people: on a terminal, lines that are too long for it go on below, broken between words (P81). */
export function printText(shell: Shell, text: string): void {
  const { columns } = layoutOf(shell);
  const lines = text.split("\n");
  shell.stdout.write(
    lines.flatMap((line) => (displayWidth(line) <= columns ? [line] : wrapped(line, columns))).join("\n"),
  );
}
