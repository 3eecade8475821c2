import { singleLine } from "../../../core/printable.ts";
import { plainQuotes } from "./plain-quotes.ts";
import type { Fix, SourceProblem } from "./source-problem.ts";

/** The problems in lines without layout, for a failure's message. */
export function problemsInBrief(problems: readonly SourceProblem[]): readonly string[] {
  return problems.flatMap(({ message, fix }, at) => {
    const isShared = problems[at + 1]?.fix.text === fix.text;
    return isShared ? [message] : [message, ...fixLines(fix)];
  });
}

/** What mends a problem, indented below what says it. */
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
