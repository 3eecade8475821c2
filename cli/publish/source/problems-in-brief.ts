import { escaped, singleLine } from "../../../core/printable.ts";
import type { Fix, SourceProblem } from "./source-problem.ts";

/** The problems as lines of a failure's message. Problems in a row that share a fix show it once. */
export function problemsInBrief(problems: readonly SourceProblem[]): readonly string[] {
  return problems.flatMap(({ message, fix }, at) => {
    const isShared = problems[at + 1]?.fix.text === fix.text;
    return isShared ? [message] : [message, ...fixLines(fix)];
  });
}

/** The lines that tell how to mend a problem. They are indented, to stand below its message. */
export function fixLines({ kind, text }: Fix): readonly string[] {
  switch (kind) {
    case "advice":
      return [singleLine(`    Fix: ${text}.`.replace(/\.\.$/, "."))];
    case "command":
      return [singleLine(`    Fix: run ${text}`)];
    case "sql":
      return [
        "    Fix, to paste into psql:",
        ...plainQuotes(text)
          .split("\n")
          .map((line) => singleLine(`      ${line}`)),
      ];
  }
}

/**
 * The SQL with escapes for line breaks, tabs and invisible characters within texts and quoted names, which would not survive
 * being shown and pasted.
 */
function plainQuotes(sql: string): string {
  return sql.replace(quotes, (whole: string, prefix = "", text?: string, name?: string) => {
    if (singleLine(whole) === whole) return whole;
    if (text !== undefined) return `E'${escapes(prefix === "E" ? text : doubled(text), "\\u")}'`;
    return name === undefined ? whole : `U&"${escapes(doubled(name), "\\")}"`;
  });
}

const quotes = /--[^\n]*|(E?)'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g;

function doubled(text: string): string {
  return text.replaceAll("\\", "\\\\");
}

function escapes(text: string, mark: string): string {
  return [...text]
    .map((character) => {
      const shown = escaped(character);
      return shown === character ? character : shown.replaceAll("\\u", mark);
    })
    .join("");
}
