import { printable, singleLine } from "../../core/printable.ts";
import type { ProblemExample, SourceProblem } from "../source/source-problem.ts";
import type { Layout } from "./layout.ts";
import { wrapped } from "./wrap.ts";

/** The problems for people, grouped by view, each with its fix; a fix that several share is shown once. */
export function problemReport(problems: readonly SourceProblem[], layout: Layout): string {
  const views = [...new Set(problems.map(({ view }) => view))];
  return views
    .map((view) => {
      const own = problems.filter((problem) => problem.view === view);
      const title = layout.style.bold(`partner_source${view === null ? "" : `.${view}`}`);
      return [title, ...own.flatMap((problem, at) => problemLines(problem, own[at + 1], layout))];
    })
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

/** The problems in lines without layout, for a failure's message. */
export function problemsInBrief(problems: readonly SourceProblem[]): readonly string[] {
  return problems.flatMap(({ message, fix }, at) => {
    const isShared = problems[at + 1]?.fix.text === fix.text;
    return isShared ? [message] : [message, ...fixLines(fix)];
  });
}

function problemLines(
  problem: SourceProblem,
  next: SourceProblem | undefined,
  { width, style }: Layout,
): readonly string[] {
  const { severity, code, column, message, fix, examples } = problem;
  const mark = severity === "error" ? style.bad("error  ") : style.doubtful("warning");
  const head = `  ${mark} ${code}${column === null ? "" : ` (${printable(column)})`}`;
  const isShared = next?.fix.text === fix.text;
  return [
    head,
    ...wrapped(`    ${printable(message)}`, width),
    ...examples.map((example) => style.faint(`      ${exampleText(example)}`)),
    ...(isShared ? [] : fixLines(fix)),
  ];
}

function fixLines({ kind, text }: SourceProblem["fix"]): readonly string[] {
  switch (kind) {
    case "advice":
      return [singleLine(`    Fix: ${text}.`.replace(/\.\.$/, "."))];
    case "command":
      return [singleLine(`    Fix: run ${text}`)];
    case "sql":
      return ["    Fix, to paste into psql:", ...text.split("\n").map((line) => singleLine(`      ${line}`))];
  }
}

function exampleText({ tenantId, programId, value }: ProblemExample): string {
  const place = [tenantId, programId].map((id) => printable(id ?? "NULL"));
  const where = programId === null ? place[0] : place.join(" / ");
  return `${where}: ${value === null ? "NULL" : printable(value)}`;
}
