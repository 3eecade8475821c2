import { styledLine } from "./style.ts";
import { displayWidth } from "./table.ts";

/**
 * The text in lines of at most `width` columns, broken at spaces; a longer word keeps a line of its own, so that ids and
 * commands stay whole. Spaces at the beginning of the text indent all its lines.
 */
export function wrapped(text: string, width: number): string[] {
  const safe = styledLine(text);
  const indent = /^ */.exec(safe)?.[0] ?? "";
  const lines: string[] = [];
  let line = indent;
  for (const word of safe.slice(indent.length).split(" ")) {
    const isFirst = line === indent;
    if (!isFirst && displayWidth(line) + 1 + displayWidth(word) > Math.max(width, minWidth)) {
      lines.push(line);
      line = indent + word;
    } else {
      line += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, line];
}

/** A terminal narrower than this gets lines that overflow rather than a column of single words. */
const minWidth = 24;
