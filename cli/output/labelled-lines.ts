import { displayWidth } from "./display-width.ts";
import { styledLine } from "./style.ts";
import { wrapped } from "./wrap.ts";

/** A label and the lines of text beside it. */
export type Labelled = readonly [label: string, ...lines: readonly string[]];

/** Labels and texts as lines: labels in one column, texts in another, which is wrapped so that no line is longer than `width`. */
export function labelledLines(rows: readonly Labelled[], width: number): string {
  const labels = rows.map(([label]) => styledLine(label));
  const labelWidth = Math.max(0, ...labels.map(displayWidth));
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
