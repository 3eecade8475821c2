import { singleLine } from "../../../core/printable.ts";
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
      return ["    Fix, to paste into psql:", singleLine(`      ${text}`)];
  }
}
