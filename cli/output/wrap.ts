import { displayWidth } from "./display-width.ts";
import { styledLine } from "./style.ts";

/**
 * The text in lines of at most `width` columns, broken at spaces; a longer word keeps a line of its own, so that ids and
 * commands stay whole. Spaces at the beginning of the text indent all its lines, those after the first by `hang` more:
 * whoever chose a quoted text must not get a line of his own by choosing where it breaks, nor one that looks like the
 * commands and facts below, which are indented by two.
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

/** A terminal narrower than this gets lines that overflow rather than a column of single words. */
const minWidth = 24;
