import { displayWidth } from "./display-width.ts";
import { styledLine } from "./style.ts";

/**
 * The text in lines of at most `width` columns, broken at spaces. A longer word overflows on a line of its own, so that ids and
 * commands stay whole. All lines are indented like the first, and those after it by `hang` more. Otherwise the author of a quoted
 * text could place a line break that makes the text look like a line of the program: commands and facts are indented by two.
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

/** On a narrower terminal, lines overflow. They would otherwise become a column of single words. */
const minWidth = 24;
